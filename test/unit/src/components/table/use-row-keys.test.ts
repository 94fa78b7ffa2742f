import { afterEach, beforeEach, expect, it } from 'vitest'
import { ref } from 'vue'
import { rowsInView, useRowKeys } from '@/components/table/use-row-keys'

beforeEach(() => {
  const rows = [0, 1, 2].map((row) => `<tr><th><a href="#${row}">${row}</a><button>Copy</button></th></tr>`)
  document.body.innerHTML = `<table><tbody>${rows.join('')}</tbody></table>`
  const { keydown } = useRowKeys(ref(null), () => 28)
  document.querySelector('tbody')!.addEventListener('keydown', keydown)
})

afterEach(() => {
  document.body.innerHTML = ''
})

const control = (row: number, name: 'a' | 'button') => document.querySelectorAll<HTMLElement>(name)[row]!

function press(key: string, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  document.activeElement!.dispatchEvent(event)
  return event
}

it.each([
  ['j', 0, 1],
  ['ArrowDown', 2, 2],
  ['k', 2, 1],
  ['ArrowUp', 0, 0],
  ['Home', 2, 0],
  ['End', 0, 2],
])('%s goes from row %i to row %i, to the same control', (key, from, to) => {
  control(from, 'button').focus()
  expect(press(key).defaultPrevented).toBe(true)
  expect(document.activeElement).toBe(control(to, 'button'))
})

it.each([
  ['a table that scrolls', [332, 332, 600], 9],
  ['a table in a screen that scrolls', [5_000, 5_000, 0, 632, 800], 19],
  ['a table without room', [20, 600], 1],
])('Page Down keeps one row in view: %s', (_what, heights, rows) => {
  const inside = heights.reduceRight<HTMLElement | null>(
    (parentElement, clientHeight) => ({ clientHeight, parentElement }) as HTMLElement,
    null,
  )
  expect(rowsInView(inside, 30)).toBe(rows)
})
