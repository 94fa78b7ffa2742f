import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deploymentTypes, listQuerySchema, splitIds, toSearchParams, nextPage } from '@contract'

describe('queries', () => {
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
})

describe('pages', () => {
  describe('the next page', () => {
    it.each([
      ['a full page', { limit: 20, offset: 0, received: 20, returnedOffset: 20 }, { end: null, offset: 20 }],
      [
        'an offset of its own',
        { limit: 20, offset: 20, received: 20, returnedOffset: 57 },
        { end: null, offset: 57 },
      ],
      [
        'more than asked for',
        { limit: 20, offset: 0, received: 25, returnedOffset: 25 },
        { end: null, offset: 25 },
      ],
      [
        'an empty page',
        { limit: 20, offset: 40, received: 0, returnedOffset: 60 },
        { end: 'empty', offset: null },
      ],
      [
        'a short page',
        { limit: 20, offset: 40, received: 19, returnedOffset: 59 },
        { end: 'short', offset: null },
      ],
      [
        'the same offset',
        { limit: 20, offset: 40, received: 20, returnedOffset: 40 },
        { end: 'stuck', offset: null },
      ],
      [
        'an earlier offset',
        { limit: 20, offset: 40, received: 20, returnedOffset: 0 },
        { end: 'stuck', offset: null },
      ],
      [
        'no number',
        { limit: 20, offset: 0, received: 20, returnedOffset: NaN },
        { end: 'stuck', offset: null },
      ],
    ])('after %s', (_what, answer, expected) => {
      expect(nextPage(answer)).toEqual(expected)
    })

    it('always ends or advances, whatever a service answers', () => {
      const anyNumber = fc.oneof(fc.integer(), fc.double())
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 100 }),
          fc.nat(),
          fc.nat(150),
          anyNumber,
          (limit, offset, received, returnedOffset) => {
            const next = nextPage({ limit, offset, received, returnedOffset })
            expect(next.end !== null || next.offset > offset).toBe(true)
          },
        ),
      )
    })

    it('sees every item of an honest list once, whatever its length and the limit', () => {
      fc.assert(
        fc.property(fc.nat(500), fc.integer({ min: 1, max: 100 }), (length, limit) => {
          const items = Array.from({ length }, (_, index) => index)
          const seen: number[] = []
          for (let offset = 0; ;) {
            const page = items.slice(offset, offset + limit)
            seen.push(...page)
            const next = nextPage({
              limit,
              offset,
              received: page.length,
              returnedOffset: offset + page.length,
            })
            if (next.end !== null) break
            offset = next.offset
          }
          expect(seen).toEqual(items)
        }),
      )
    })
  })
})
