import { type FunctionalComponent, h } from 'vue'
import { type ShownAs, shownText } from '@contract/core/text'

/**
 * A text that a service or a person chose, made safe to display: it has no invisible characters and can't change the
 * direction of text.
 */
const UntrustedText: FunctionalComponent<{ text: string } & ShownAs> = ({ text, max, lines }) =>
  h('bdi', shownText(text, { max, lines }))

UntrustedText.props = { text: { type: String, required: true }, max: Number, lines: Boolean }

export default UntrustedText
