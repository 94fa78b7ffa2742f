import { describe, expect, it } from 'vitest'
import { meaningOf, readFreeText, textOf } from '@/domain/text/free-text'
import { problemOfRows, rowsOf, valueOfRows } from '@/domain/text/key-values'
import { numberOf } from '@/domain/text/number-input'

describe('a number in a cell', () => {
  it.each([
    ['', undefined],
    ['  ', undefined],
    ['2', 2],
    [' 1.5 ', 1.5],
    ['1.', 1],
    ['.5', 0.5],
    ['-1', -1],
    ['1e3', 1000],
    ['two', 'two'],
    ['1,5', '1,5'],
    ['0x10', '0x10'],
    ['1e999', '1e999'],
    ['Infinity', 'Infinity'],
  ])('is read from %j', (text, value) => {
    expect(numberOf(text)).toBe(value)
  })
})

describe('the rows of a free-form object', () => {
  it('are its members, in their order, and return the same object', () => {
    const labels = { team: 'support', count: 2, deep: { a: [null] } }
    const rows = rowsOf(labels)!
    expect(rows.map(({ key }) => key)).toEqual(['team', 'count', 'deep'])
    expect(JSON.stringify(valueOfRows(rows))).toBe(JSON.stringify(labels))
    expect(rowsOf(null)).toEqual([])
    expect(valueOfRows([])).toBeUndefined()
  })

  it('remain as they are while a key is missing or repeated', () => {
    for (const keys of [[''], ['a', 'a'], ['a', '']]) {
      const rows = keys.map((key) => ({ key, value: 'x' }))
      expect(valueOfRows(rows)).toEqual(rows)
      expect(rowsOf(valueOfRows(rows))).toEqual(rows)
      expect(problemOfRows(rows)).toMatch(/missing|twice/)
    }
    expect(problemOfRows({})).toBeNull()
  })
})

describe('a free-form text', () => {
  it('is JSON or YAML', () => {
    const value = { name: 'settings', items: [{ key: 'a' }] }
    expect(readFreeText('{"name":"settings","items":[{"key":"a"}]}', [])).toMatchObject({ ok: true, value })
    expect(readFreeText('name: settings # ours\nitems:\n  - key: a\n', [])).toMatchObject({ ok: true, value })
    expect(readFreeText('a: nothing', [])).toMatchObject({ ok: true, value: { a: 'nothing' } })
  })

  it('stays a text until it has the expected type', () => {
    expect(meaningOf('[1]', [], 'object')).toBe('[1]')
    expect(meaningOf('a: 1', [], 'list')).toBe('a: 1')
    expect(meaningOf('"text"', [], 'object')).toBe('"text"')
    expect(meaningOf('- a: 1', [], 'list')).toEqual([{ a: 1 }])
    expect(meaningOf('null', [], 'object')).toBeNull()
  })

  it('is restored as it was typed', () => {
    for (const text of ['a: 1 # why\n', '{"a":1}', 'not: [yet']) {
      expect(textOf(meaningOf(text, [], 'object'))).toBe(text)
    }
    expect(textOf({ a: 1 })).toBe('{\n  "a": 1\n}')
    expect(textOf(undefined)).toBe('')
  })
})
