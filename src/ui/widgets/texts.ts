import { type FunctionalComponent, h } from 'vue'
import { type ShownAs, shownText } from '@contract/core/text'
import { formatShortcut } from '@/app/commands'
import { onMac } from '@/app/window'

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

NicknamedId.props = { id: { type: String, required: true }, nickname: String }

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

MiddleCut.props = { text: { type: String, required: true } }

const keyLook = 'px-6px hairline rounded-small bg-sunken text-ink [font-family:inherit] text-small lh-20px'

/** Shortcuts as keys in a row. */
export const ShortcutKeys: FunctionalComponent<{ shortcuts: readonly string[] }> = ({ shortcuts }) =>
  h(
    'span',
    { class: 'inline-flex flex-wrap gap-x-2' },
    shortcuts.map((shortcut) => h('kbd', { key: shortcut, class: keyLook }, formatShortcut(shortcut, onMac))),
  )

ShortcutKeys.props = ['shortcuts']
