import type { DeploymentPage, DeploymentSummary, Outcome } from '@contract'
import { nextPage } from '@contract/deployment-api/list'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  firstRow,
  lastReadable,
  mergedList,
  type MergedList,
  type ReadStatus,
  readMergedPage,
} from '@domain/lists/merged'
import { summaryOf } from '../../../support/builders/deployment-answers'

/** A deployment of the model: `age` orders it, the youngest first. */
interface Kept {
  id: string
  age: number
  status: string
}

const statuses = ['AWAITING_DATABASE', 'UNUSED', 'UNKNOWN']

const rowOf = ({ id, age, status }: Kept): DeploymentSummary =>
  summaryOf(id, { status, created_at: new Date(Date.UTC(2026, 0, 1) - age * 1000).toISOString() })

/** A service with these deployments; they may change between two reads. */
function service(stored: () => Kept[], order = (one: Kept, other: Kept): number => one.age - other.age) {
  const reads: { status: string | null; offset: number; limit: number }[] = []
  const read: ReadStatus = (status, offset, limit) => {
    reads.push({ status, offset, limit })
    const all = stored()
      .filter((one) => one.status === status)
      .sort(order)
    return Promise.resolve(answer(all.slice(offset, offset + limit).map(rowOf), offset, limit))
  }
  return { read, reads }
}

function answer(rows: DeploymentSummary[], offset: number, limit: number, returned = offset + rows.length) {
  const next = nextPage({ limit, offset, received: rows.length, returnedOffset: returned })
  const value: DeploymentPage = {
    environmentId: 'a',
    offset,
    received: rows.length,
    deployments: rows,
    unreadable: [],
    nextOffset: next.offset,
    end: next.end,
    fetchedAt: '2026-01-01T00:00:00.000Z',
  }
  return { ok: true, value } satisfies Outcome<DeploymentPage>
}

/** All pages from the beginning; `between` runs before each but the first. */
async function pages(read: ReadStatus, size: number, between = (): void => undefined): Promise<string[][]> {
  const all: string[][] = []
  let list: MergedList | null = mergedList(statuses)
  while (list) {
    if (all.length > 0) between()
    const outcome = await readMergedPage(list, size, read)
    if (!outcome.ok) throw new Error(outcome.failure.message)
    all.push(outcome.value.rows.map(({ id }) => id))
    list = outcome.value.next
    expect(all.length).toBeLessThan(200)
  }
  return all
}

const keptOnes = fc
  .array(fc.constantFrom(...statuses, 'READY'), { maxLength: 60 })
  .map((each) => each.map((status, age): Kept => ({ id: `id-${age}`, age, status })))

describe('pages of several statuses', () => {
  it('are the sorted union, with each row once, and only the last page short', async () => {
    await fc.assert(
      fc.asyncProperty(
        keptOnes,
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        async (stored, size, isOldestFirst) => {
          const order = (one: Kept, other: Kept): number =>
            isOldestFirst ? other.age - one.age : one.age - other.age
          const union = stored.filter(({ status }) => statuses.includes(status)).sort(order)
          const read = await pages(service(() => stored, order).read, size)
          // A page with one row of each list proves no order. The newest come first then.
          const isProven = statuses.some((status) => union.filter((one) => one.status === status).length > 1)
          if (isProven || !isOldestFirst) expect(read.flat()).toEqual(union.map(({ id }) => id))
          else expect(read.flat().sort()).toEqual(union.map(({ id }) => id).sort())
          for (const page of read.slice(0, -1)) expect(page).toHaveLength(size)
        },
      ),
    )
  })

  it('neither lose nor repeat a lasting row while others come, go and change between two reads', async () => {
    const change = fc.record({
      kind: fc.constantFrom('create', 'remove', 'move'),
      at: fc.nat({ max: 1_000 }),
      status: fc.constantFrom(...statuses, 'READY'),
    })
    await fc.assert(
      fc.asyncProperty(
        keptOnes,
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 20 }),
        async (first, size, changes) => {
          let stored = first
          let youngest = 0
          const touched = new Set<string>()
          const read = await pages(service(() => stored).read, size, () => {
            for (const { kind, at, status } of changes.shift() ?? []) {
              const one = stored[at % Math.max(1, stored.length)]
              if (kind === 'create') {
                youngest -= 1
                stored = [...stored, { id: `new-${-youngest}`, age: youngest, status }]
              } else if (one) {
                touched.add(one.id)
                stored = stored.filter(({ id }) => id !== one.id)
                if (kind === 'move') stored = [...stored, { ...one, status }]
              }
            }
          })
          const shown = read.flat()
          expect(new Set(shown).size).toBe(shown.length)
          const staying = first.filter(({ id, status }) => statuses.includes(status) && !touched.has(id))
          const expected = staying.sort((one, other) => one.age - other.age).map(({ id }) => id)
          expect(shown.filter((id) => expected.includes(id))).toEqual(expected)
        },
      ),
    )
  })

  it('follow one another if the answers show no order', async () => {
    const places = [3, 1, 2, 0, 5, 4]
    const stored = places.map((_, age): Kept => ({ id: `id-${age}`, age, status: statuses[age % 2]! }))
    const shuffled = (one: Kept, other: Kept): number => places.indexOf(one.age) - places.indexOf(other.age)
    const read = (await pages(service(() => stored, shuffled).read, 2)).flat()
    expect(read).toEqual(['id-2', 'id-0', 'id-4', 'id-3', 'id-1', 'id-5'])
  })

  it('end whatever offsets a service returns', async () => {
    await fc.assert(
      fc.asyncProperty(
        keptOnes,
        fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 8 }),
        async (stored, returned) => {
          let turn = 0
          const read: ReadStatus = (status, offset, limit) => {
            const rows = stored.filter((one) => one.status === status).slice(offset, offset + limit)
            return Promise.resolve(
              answer(rows.map(rowOf), offset, limit, returned[(turn += 1) % returned.length]),
            )
          }
          const shown = (await pages(read, 5)).flat()
          expect(new Set(shown).size).toBe(shown.length)
        },
      ),
    )
  })

  it('make one request per source, and none while rows are left', async () => {
    const stored = Array.from({ length: 40 }, (_, age): Kept => ({
      id: `id-${age}`,
      age,
      status: statuses[age % 2]!,
    }))
    const { read, reads } = service(() => stored)
    const first = await readMergedPage(mergedList(statuses), 10, read)
    expect(reads.map(({ status }) => status)).toEqual(statuses)
    expect(reads.every(({ offset, limit }) => offset === 0 && limit === 11)).toBe(true)
    const next = first.ok ? first.value.next : null
    await readMergedPage(next!, 10, read)
    expect(reads).toHaveLength(3)
  })
})

describe('the rows at the ends of a page', () => {
  it.each([
    ['all can be read', 2, ['a', 'b'], [], 'a', 1],
    ['the first can not', 3, ['b', 'c'], [0], null, 2],
    ['the last two can not', 3, ['a'], [1, 2], 'a', 0],
    ['none can', 1, [], [0], null, null],
    ['there are none', 0, [], [], null, null],
  ])('are identified if %s', (_where, received, ids, places, first, last) => {
    const page = {
      received,
      deployments: ids.map((id) => ({ id })),
      unreadable: places.map((index) => ({ index })),
    }
    expect(firstRow(page)).toBe(first)
    expect(lastReadable(page)).toBe(last)
  })
})
