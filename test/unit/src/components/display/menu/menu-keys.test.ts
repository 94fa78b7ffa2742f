import { describe, expect, it } from 'vitest'
import { itemByDigit, itemByKey, itemByTyping } from '@/components/display/menu/menu-keys'

const labels = ['Sandbox (cloud)', 'Sandbox (self-hosted)', 'Production', 'Staging', '2nd cluster']

describe('the keys of a menu', () => {
  it('wrap around at the ends', () => {
    expect(itemByKey('ArrowDown', 4, 5)).toBe(0)
    expect(itemByKey('ArrowUp', 0, 5)).toBe(4)
    expect(itemByKey('Home', 3, 5)).toBe(0)
    expect(itemByKey('End', 0, 5)).toBe(4)
    expect(itemByKey('a', 0, 5)).toBeNull()
  })

  it('lead to the next item with a letter that is typed again, even from the item itself', () => {
    expect(itemByTyping(labels, 0, 's')).toBe(1)
    expect(itemByTyping(labels, 1, 'ss')).toBe(3)
    expect(itemByTyping(labels, 3, 'sss')).toBe(0)
    expect(itemByTyping(labels, 2, 'p')).toBe(2)
  })

  it('narrow the match as typing continues, staying on an item that still matches', () => {
    expect(itemByTyping(labels, 0, 'ST')).toBe(3)
    expect(itemByTyping(labels, 1, 'sandbox (s')).toBe(1)
    expect(itemByTyping(labels, 0, 'sx')).toBeNull()
  })

  it('treat a digit as the item with that number, if there is one', () => {
    expect(itemByDigit('3', 5)).toBe(2)
    expect(itemByDigit('9', 5)).toBeNull()
    expect(itemByDigit('0', 5)).toBeNull()
  })
})
