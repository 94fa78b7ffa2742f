import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deploymentTypes, listQuerySchema, splitIds, toSearchParams } from '@contract'

describe('the query of a list', () => {
  it("has the interface's defaults", () => {
    expect(listQuerySchema.parse({})).toEqual({ limit: 20, offset: 0 })
  })

  it.each([
    { limit: 0 },
    { limit: 101 },
    { limit: 1.5 },
    { limit: '20' },
    { offset: -1 },
    { offset: 0.5 },
    { remote_reconciled: 'true' },
    { page: 2 },
  ])('refuses %j', (query) => {
    expect(listQuerySchema.safeParse(query).success).toBe(false)
  })

  it('is written so that a service reads the same query', () => {
    const text = fc.option(fc.string({ minLength: 1, unit: 'grapheme' }))
    fc.assert(
      fc.property(
        fc.record({
          limit: fc.integer({ min: 1, max: 100 }),
          offset: fc.nat(),
          name_contains: text,
          status: text,
          remote_reconciled: fc.option(fc.boolean()),
          deployment_type: fc.option(fc.constantFrom(...deploymentTypes)),
        }),
        (query) => {
          const read = new URL(`http://x/?${toSearchParams(listQuerySchema.parse(query)).toString()}`)
            .searchParams
          for (const [name, value] of Object.entries(query)) {
            expect(read.get(name)).toBe(value === null ? null : String(value))
          }
        },
      ),
    )
  })
})

describe('a list of identifiers', () => {
  it.each([
    [null, []],
    [undefined, []],
    ['', []],
    [' , ,', []],
    ['a', ['a']],
    [' a, b ,,c', ['a', 'b', 'c']],
  ])('in %j', (text, ids) => {
    expect(splitIds(text)).toEqual(ids)
  })
})
