import { expect, it } from 'vitest'
import { fitsOnScreen, shownName } from '../../../../../../electron/main/window/dialogs/question-text'

/** How many lines of a text fit below a message of one line. */
function max(text: string): number {
  let count = 0
  while (fitsOnScreen({ message: 'Send?', detail: text.repeat(count + 1), agree: 'Send' })) count += 1
  return count
}

const lines = 27

it.each([
  ['Latin', 'a', 60],
  ['Cyrillic', 'д', 60],
  ['Chinese', '漢', 30],
  ['Hangul', '한', 30],
  ['emoji', '🦜', 30],
  ['phrases in one sign', '\ufdfd', 6],
  ['cuneiform', '\u{12031}', 6],
])('counts %s with its width', (_script, letter, aLine) => {
  expect(max(letter)).toBe(lines * aLine)
})

it('keeps combining marks from covering other lines, and leaves usual ones unchanged', () => {
  for (const name of ['Việt'.normalize('NFD'), 'ผู้ใช้', 'שָׁלוֹם', 'কো'.normalize('NFD')]) {
    expect(shownName(name)).toBe(name)
  }
  const shown = shownName(`Z${'\u0301'.repeat(40)}go`)
  expect(shown).toBe(`Z${'\u0301'.repeat(3)}${'⟨U+0301⟩'.repeat(37)}go`)
})
