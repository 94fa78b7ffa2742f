import { requestSchemas } from '@contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { labelOf } from '@/domain/draft/fields'
import { meaningOf, readFreeText, textOf } from '@/domain/draft/free-text'
import { problemOfRows, rowsOf, textOfValue, valueOfRows, valueOfText } from '@/domain/draft/key-values'
import { numberOf, textOfNumber } from '@/domain/text/number-input'
import { numberLabels, specCaption } from '@/domain/draft/resource-spec-labels'

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

  it('comes back from its text', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(numberOf(textOfNumber(number))).toBe(number + 0)
      }),
    )
    expect(textOfNumber(null)).toBe('')
    expect(textOfNumber(['odd'])).toContain('odd')
  })
})

describe('the rows of a free-form object', () => {
  it('are its members, in their order, and give the same object back', () => {
    const labels = { team: 'support', count: 2, deep: { a: [null] } }
    const rows = rowsOf(labels)!
    expect(rows.map(({ key }) => key)).toEqual(['team', 'count', 'deep'])
    expect(JSON.stringify(valueOfRows(rows))).toBe(JSON.stringify(labels))
    expect(rowsOf(null)).toEqual([])
    expect(valueOfRows([])).toBeUndefined()
  })

  it('stand for themselves while a key is missing or there twice', () => {
    for (const keys of [[''], ['a', 'a'], ['a', '']]) {
      const rows = keys.map((key) => ({ key, value: 'x' }))
      expect(valueOfRows(rows)).toEqual(rows)
      expect(rowsOf(valueOfRows(rows))).toEqual(rows)
      expect(problemOfRows(rows)).toMatch(/missing|twice/)
    }
    expect(problemOfRows({})).toBeNull()
  })

  it('are not made of what is neither an object nor rows', () => {
    for (const odd of ['text', 7, [], ['a'], [{ key: 7, value: '' }]]) expect(rowsOf(odd)).toBeNull()
  })

  it('keep a value that is no text what it is', () => {
    expect(valueOfText('2', 1)).toBe(2)
    expect(valueOfText('2m', 1)).toBe('2m')
    expect(valueOfText('2', '1')).toBe('2')
    expect(textOfValue({ a: 1 })).toBe('{"a":1}')
  })
})

describe('a free-form text', () => {
  it('is JSON or YAML', () => {
    const value = { name: 'settings', items: [{ key: 'a' }] }
    expect(readFreeText('{"name":"settings","items":[{"key":"a"}]}')).toMatchObject({ ok: true, value })
    expect(readFreeText('name: settings # ours\nitems:\n  - key: a\n')).toMatchObject({ ok: true, value })
    expect(readFreeText('a: no')).toMatchObject({ ok: true, value: { a: 'no' } })
  })

  it.each([
    ['{ "a": }', 1],
    ['{ "a": 1,\n  "a": 2 }', 2],
    ['a: 1\nb: [1,\n', 3],
    ['a: 1\na: 2', 2],
    ['a: 1\n---\nb: 2', 2],
    ['a: .inf', 1],
    ['a: *nothing', 1],
  ])('says the line where %j is wrong', (text, line) => {
    expect(readFreeText(text)).toMatchObject({ ok: false, position: { line } })
  })

  it('stays a text until it is what is expected', () => {
    expect(meaningOf('[1]', 'object')).toBe('[1]')
    expect(meaningOf('a: 1', 'list')).toBe('a: 1')
    expect(meaningOf('"text"', 'object')).toBe('"text"')
    expect(meaningOf('- a: 1', 'list')).toEqual([{ a: 1 }])
    expect(meaningOf('null', 'object')).toBeNull()
  })

  it('comes back as it was typed', () => {
    for (const text of ['a: 1 # why\n', '{"a":1}', 'not: [yet']) {
      expect(textOf(meaningOf(text, 'object'))).toBe(text)
    }
    expect(textOf({ a: 1 })).toBe('{\n  "a": 1\n}')
    expect(textOf(undefined)).toBe('')
  })
})

describe('the names of fields', () => {
  const label = (...path: (string | number)[]) => labelOf(['source_config', 'resource_spec', ...path])

  it('are the group and the field', () => {
    expect(label('memory_limit_mb')).toBe('API memory limit')
    expect(label('queue_cpu')).toBe('Queue CPU')
    expect(label('db_max_connections')).toBe('Database max connections')
    expect(label('volumes', 0, 'configMap')).toBe('Volume 1 configMap')
    expect(label('volume_mounts', 1, 'mountPath')).toBe('Volume mount 2 mount path')
    expect(label('init_containers', 0, 'args', 2)).toBe('Init container 1 argument 3')
    expect(label('sidecars', 1, 'env', 0, 'valueFrom')).toBe('Sidecar 2 variable 1 value source')
    expect(label('sidecars', 1, 'resources', 'limits')).toBe('Sidecar 2 limits')
  })

  it('are there for every number, each its own', () => {
    const numbers = Object.entries(requestSchemas.resourceSpec.shape)
      .filter(([, schema]) => schema.safeParse(1).success)
      .map(([name]) => name)
    expect(new Set(numberLabels.keys())).toEqual(new Set(numbers))
    expect(new Set(numberLabels.values()).size).toBe(numbers.length)
  })

  it('are the same in captions, which say no wire name of the interface', () => {
    expect(specCaption(['sidecars', 1, 'env', 0, 'valueFrom'])).toBe('Value source')
    expect(specCaption(['volume_mounts', 0, 'name'])).toBe('Volume')
    expect(specCaption(['volumes', 0, 'name'])).toBe('Name')
    expect(specCaption(['volumes', 0, 'emptyDir'])).toBe('emptyDir')
    expect(specCaption(['gpu_count'])).toBe('gpu_count')
    const { resourceSpec, volumeMount } = requestSchemas
    const container = resourceSpec.shape.sidecars.unwrap().unwrap().element
    const members = [
      ...Object.keys(resourceSpec.shape).filter((name) => !numberLabels.has(name)),
      ...Object.keys(volumeMount.shape),
      ...Object.keys(container.shape),
    ]
    for (const member of members) expect(specCaption([member])).toMatch(/^[A-Z][a-z ]*$/)
  })
})
