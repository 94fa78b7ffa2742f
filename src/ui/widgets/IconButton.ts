import { type ButtonProps, NButton } from 'naive-ui'
import { type Component, type FunctionalComponent, h } from 'vue'

/** A button with an icon before its label. Without a label it needs `aria-label`. */
const IconButton: FunctionalComponent<{ icon: Component } & ButtonProps> = ({ icon }, { slots }) =>
  h(NButton, null, {
    icon: () => h(icon),
    default: slots['default'],
  })

// The others are attributes, which the button gets.
IconButton.props = { icon: { type: [Object, Function], required: true } } as never

export default IconButton
