import { expect, it } from 'vitest'
import { placeMenu } from '@/components/display/menu/menu-item'

const room = { width: 900, height: 600 }
const size = { width: 200, height: 300 }

it.each([
  ['below and right', { x: 100, y: 50 }, 50, { x: 100, y: 50 }],
  ['further left at the right edge', { x: 850, y: 50 }, 50, { x: 692, y: 50 }],
  ['above at the bottom', { x: 100, y: 500 }, 500, { x: 100, y: 200 }],
  ['above the button that opened it', { x: 100, y: 500 }, 468, { x: 100, y: 168 }],
  ['whole where neither above nor below has the room', { x: 100, y: 310 }, 250, { x: 100, y: 8 }],
])('opens %s', (_where, at, above, expected) => {
  expect(placeMenu(at, above, size, room)).toEqual(expected)
})
