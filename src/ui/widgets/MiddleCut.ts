import { type FunctionalComponent, h } from 'vue'
import { shownText } from '@contract/core/text'

/** How many characters of the end stay where there isn't room for all. */
const endLength = 12

/** Texts that can be cut anywhere: nothing in them combines, or runs the other way. */
const simple = /^[ -~]*$/

/**
 * A text of a service or a person in one line, made safe to display. Where there isn't room for it, its middle is cut:
 * names often begin alike, and others end alike. Its title is the whole text.
 */
const MiddleCut: FunctionalComponent<{ text: string }> = ({ text }) => {
  const shown = shownText(text)
  const isCut = shown.length > 2 * endLength && simple.test(shown)
  const at = isCut ? shown.length - endLength : shown.length
  return h('bdi', { class: 'flex min-w-0 whitespace-pre', title: shown }, [
    h('span', { class: 'min-w-0 overflow-hidden text-ellipsis' }, shown.slice(0, at)),
    isCut ? h('span', shown.slice(at)) : null,
  ])
}

MiddleCut.props = { text: { type: String, required: true } }

export default MiddleCut
