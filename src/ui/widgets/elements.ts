import { type ButtonProps, NButton } from 'naive-ui'
import { type Component, type FunctionalComponent, h } from 'vue'
import { type ShownAs, shownText } from '@contract/core/text'
import { formatShortcut } from '@/app/commands'

interface IconButtonProps {
  icon: Component
  /** Its name, which is only visible with `showLabel`; otherwise its title, unless it has another. */
  label?: string
  showLabel?: boolean
  /** Whether its icon turns, since it is at work. It can be pressed again, which NButton's `loading` prevents. */
  spins?: boolean
}

/** A button with an icon before its label, which is the slot or `label`. Without either it needs `aria-label`. */
export const IconButton: FunctionalComponent<IconButtonProps & ButtonProps> = (
  { icon, label, showLabel, spins },
  { slots },
) =>
  h(NButton, label === undefined ? null : { 'aria-label': label, title: label }, {
    icon: () => h(icon, { class: { spins } }),
    default: showLabel ? () => label : slots['default'],
  })

// The others are attributes, which the button gets.
IconButton.props = {
  icon: { type: [Object, Function], required: true },
  label: String,
  showLabel: Boolean,
  spins: Boolean,
} as never

/** Why a screen or a list is empty, and what to do next. */
export interface Empty {
  title: string
  text?: string
  icon?: Component
  actions?: { label: string; act: () => unknown; isPrimary?: boolean; isDisabled?: boolean }[]
}

/** An empty screen or list. Other actions than plain buttons are in the slot `actions`. */
export const EmptyState: FunctionalComponent<Empty> = ({ title, text, icon, actions = [] }, { slots }) => {
  const buttons =
    slots['actions']?.() ??
    actions.map(({ label, act, isPrimary, isDisabled }) =>
      h(
        NButton,
        { key: label, type: isPrimary ? 'primary' : 'default', disabled: isDisabled, onClick: act },
        () => label,
      ),
    )
  return h('div', { class: 'px-6 py-12 gap-2 flex flex-col items-center text-center' }, [
    icon &&
      h('div', { class: 'text-faint', 'aria-hidden': 'true' }, h(icon, { size: 32, strokeWidth: 1.25 })),
    h('p', { class: 'text-large font-600' }, title),
    text && h('p', { class: 'max-w-440px text-muted' }, text),
    buttons.length > 0 && h('div', { class: 'gap-2 flex mt-2' }, buttons),
  ])
}

const skipLook =
  'px-3 py-1 absolute z-10 top-2 left-2 rounded bg-accent-solid text-accent-on-solid ' +
  'forced:hairline-CanvasText forced:bg-Canvas forced:[color:canvastext] ' +
  '[transform:translateY(-200%)] focus:[transform:none]'

/**
 * A link at the top left of the window that is visible only with the focus, and moves the focus past what comes before
 * the content.
 */
export const SkipLink: FunctionalComponent<{ label: string }, { skip: [] }> = ({ label }, { emit }) => {
  const onClick = (event: Event): void => {
    event.preventDefault()
    emit('skip')
  }
  return h('a', { class: skipLook, href: '#', onClick }, label)
}

SkipLink.props = ['label']
SkipLink.emits = ['skip']

/**
 * A text that a service or a person chose, made safe to display: it has no invisible characters and can't change the
 * direction of text.
 */
export const UntrustedText: FunctionalComponent<{ text: string } & ShownAs> = ({ text, max, lines }) =>
  h('bdi', shownText(text, { max, lines }))

UntrustedText.props = { text: { type: String, required: true }, max: Number, lines: Boolean }

/** An identifier after its nickname: "nickname (ID)". Without a nickname, only the identifier. */
export const NicknamedId: FunctionalComponent<{ id: string; nickname: string | null }> = ({
  id,
  nickname,
}) => {
  const text = h('span', { class: 'mono' }, [h(UntrustedText, { text: id })])
  return nickname === null ? text : h('span', [h(UntrustedText, { text: nickname }), ' (', text, ')'])
}

/** How many characters of the end stay where there isn't room for all. */
const endLength = 12

/** Texts that can be cut anywhere: nothing in them combines, or runs the other way. */
const simple = /^[ -~]*$/

/**
 * A text of a service or a person in one line, made safe to display. Where there isn't room for it, its middle is cut:
 * names often begin alike, and others end alike. Its title is the whole text.
 */
export const MiddleCut: FunctionalComponent<{ text: string }> = ({ text }) => {
  const shown = shownText(text)
  const isCut = shown.length > 2 * endLength && simple.test(shown)
  const at = isCut ? shown.length - endLength : shown.length
  return h('bdi', { class: 'flex min-w-0 whitespace-pre', title: shown }, [
    h('span', { class: 'min-w-0 overflow-hidden text-ellipsis' }, shown.slice(0, at)),
    isCut ? h('span', shown.slice(at)) : null,
  ])
}

const keyLook = 'px-6px hairline rounded-small bg-sunken text-ink [font-family:inherit] text-small lh-20px'

/** Shortcuts as keys in a row. */
export const ShortcutKeys: FunctionalComponent<{ shortcuts: readonly string[] }> = ({ shortcuts }) =>
  h(
    'span',
    { class: 'inline-flex flex-wrap gap-x-2' },
    shortcuts.map((shortcut) => h('kbd', { key: shortcut, class: keyLook }, formatShortcut(shortcut))),
  )
