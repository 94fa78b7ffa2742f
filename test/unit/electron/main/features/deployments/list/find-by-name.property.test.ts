import { answerLimits, formsOf, succeed } from '@contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  listNamed,
  type NamedDeployments,
} from '../../../../../../../electron/main/features/deployments/list/find-by-name'
import type { HttpClient } from '../../../../../../../electron/main/http/types'
import { jsonBody } from '../../../../../../support/builders/json-body'

const name = 'web'
const never = new AbortController().signal
const target = { environmentId: null, baseUrl: 'https://a.example', headers: {} }

interface Entry {
  id: string
  name: string
}

/**
 * The `offset` in an answer: that of the next page, the requested one, none, or one increased by the requested limit.
 */
type Echo = 'next' | 'given' | 'zero' | 'limit'

interface Habits {
  /** Entries on a page, whatever is requested; several values alternate. */
  caps: number[]
  echo: Echo
  /** Whether something on the way drops the query. */
  isQueryDropped: boolean
  /** Whether pages are cut before they are filtered, so that each has only the remaining entries. */
  isFilteredLate: boolean
  /** Whether the filter finds nothing, whatever there is. */
  isFilterBlind: boolean
}

const honest: Habits = {
  caps: [100],
  echo: 'next',
  isQueryDropped: false,
  isFilteredLate: false,
  isFilterBlind: false,
}

/** A change of the list at a position, by other people: this many entries are added or removed. */
type Change = { kind: 'add' | 'remove'; at: number; count: number } | null

/**
 * A service whose list changes between two requests. It keeps its order, and never loses the deployments with the name.
 */
class Service {
  requests = 0
  #added = 0
  readonly list: Entry[]

  constructor(
    list: readonly Entry[],
    readonly habits: Habits,
    readonly changes: readonly Change[] = [],
  ) {
    this.list = [...list]
  }

  readonly http: HttpClient = {
    request: ({ query }) => {
      const answer = this.#answer(query ?? new URLSearchParams())
      this.#change(this.changes[this.requests] ?? null)
      this.requests += 1
      return Promise.resolve(succeed({ status: 200, durationMs: 1, body: jsonBody(answer) }))
    },
    forget: () => Promise.resolve(),
  }

  async lookUp(isFilterDoubted = false): Promise<NamedDeployments> {
    const listed = await listNamed(this.http, target, name, never, isFilterDoubted)
    if (!listed.ok) expect.unreachable(listed.failure.message)
    return listed.value
  }

  #answer(query: URLSearchParams): object {
    const { caps, echo, isQueryDropped, isFilteredLate, isFilterBlind } = this.habits
    const effective = isQueryDropped ? new URLSearchParams() : query
    const offset = Number(effective.get('offset') ?? 0)
    const limit = Math.min(caps[this.requests % caps.length]!, Number(effective.get('limit') ?? 20))
    const contained = effective.get('name_contains')
    const filter = ({ name: own }: Entry): boolean =>
      contained === null || (!isFilterBlind && own.includes(contained))
    const all = isFilteredLate ? this.list : this.list.filter(filter)
    const page = all.slice(offset, offset + limit)
    const offsets = { next: offset + page.length, given: offset, zero: 0, limit: offset + limit }
    const resources = page.filter(filter).map((one) => ({ ...one, source: 'internal_docker' }))
    return { resources, offset: isFilteredLate ? offset + page.length : offsets[echo] }
  }

  #change(change: Change): void {
    for (let left = change?.count ?? 0; change && left > 0; left -= 1) {
      const at = change.at % (this.list.length + 1)
      if (change.kind === 'add')
        this.list.splice(at, 0, { id: `added${(this.#added += 1)}`, name: 'web-new' })
      else if (this.list[at] && this.list[at].name !== name) this.list.splice(at, 1)
    }
  }
}

const others = (count: number): Entry[] =>
  Array.from({ length: count }, (_, at) => ({ id: `o${at}`, name: `web-${at}` }))

const habits = fc.record({
  caps: fc.array(fc.oneof(fc.integer({ min: 2, max: 8 }), fc.constant(100)), { minLength: 1, maxLength: 5 }),
  echo: fc.constantFrom<Echo>('next', 'given', 'zero', 'limit'),
  isQueryDropped: fc.boolean(),
  isFilteredLate: fc.constant(false),
  isFilterBlind: fc.constant(false),
})

/** Pages that are large enough to have every list within the pages that are read without the filter. */
const blindHabits = fc.record({
  caps: fc.array(fc.integer({ min: 12, max: 20 }), { minLength: 1, maxLength: 5 }),
  echo: fc.constantFrom<Echo>('next', 'given', 'zero', 'limit'),
  isQueryDropped: fc.constant(false),
  isFilteredLate: fc.constant(false),
  isFilterBlind: fc.constant(true),
})

const changes = fc.array(
  fc.option(
    fc.record({
      kind: fc.constantFrom('add' as const, 'remove'),
      at: fc.nat(30),
      count: fc.integer({ min: 1, max: 3 }),
    }),
    { freq: 2 },
  ),
  { maxLength: 20 },
)

/** A list with one deployment of the name at any position. */
const lists = fc.tuple(fc.nat(24), fc.nat(24), fc.nat(5)).map(([count, at, unlike]) => {
  const all = [
    ...others(count),
    ...Array.from({ length: unlike }, (_, n) => ({ id: `u${n}`, name: `api-${n}` })),
  ]
  all.splice(at % (all.length + 1), 0, { id: 'own', name })
  return all
})

describe('the list of a name', () => {
  it('is never complete without a deployment that was in it all the time', async () => {
    await fc.assert(
      fc.asyncProperty(lists, habits, changes, async (list, own, between) => {
        const { complete, deployments } = await new Service(list, own, between).lookUp()
        if (complete) expect(deployments).toMatchObject([{ id: 'own' }])
      }),
    )
  })

  it('is never complete without it either if the filter finds nothing and is not trusted', async () => {
    await fc.assert(
      fc.asyncProperty(lists, blindHabits, changes, async (list, own, between) => {
        const { complete, deployments } = await new Service(list, own, between).lookUp(true)
        if (complete) expect(deployments).toMatchObject([{ id: 'own' }])
      }),
    )
  })

  it("is complete if the filter finds nothing and is not trusted if it didn't change, or is long", async () => {
    await fc.assert(
      fc.asyncProperty(lists, blindHabits, async (list, own) => {
        const service = new Service(list, own)
        expect(await service.lookUp(true)).toMatchObject({ complete: true, deployments: [{ id: 'own' }] })
      }),
    )
    const long = [...others(2_000), { id: 'own', name }]
    const service = new Service(long, { ...honest, isFilterBlind: true })
    expect(await service.lookUp(true)).toMatchObject({ complete: true, deployments: [] })
    const changing = new Service(long, { ...honest, isFilterBlind: true }, [
      ...formsOf(name).map(() => null),
      { kind: 'remove', at: 3, count: 1 },
    ])
    expect(await changing.lookUp(true)).toMatchObject({ complete: false, deployments: [] })
  })

  it("is complete if it didn't change, with any page size and any offset", async () => {
    await fc.assert(
      fc.asyncProperty(lists, habits, async (list, own) => {
        const service = new Service(list, { ...own, isQueryDropped: false })
        expect(await service.lookUp()).toMatchObject({ complete: true, deployments: [{ id: 'own' }] })
      }),
    )
  })

  it.each<[string, number, Partial<Habits>, boolean]>([
    ['gives 20 at once and the offset that it was given', 55, { caps: [20], echo: 'given' }, true],
    ['gives 20 at once and no offset', 55, { caps: [20], echo: 'zero' }, true],
    ['gives 20 at once and the offset that should come next', 55, { caps: [20], echo: 'limit' }, true],
    ['gives 20 at once as it should', 55, { caps: [20] }, true],
    ['gives fewer where they are large', 55, { caps: [20, 7, 20] }, true],
    ['loses the query on the way', 55, { isQueryDropped: true }, false],
    ['filters what it has cut to pages', 300, { isFilteredLate: true }, true],
  ])('has the last entry at a service that %s', async (_, count, own, isFound) => {
    const { complete, deployments } = await new Service([...others(count), { id: 'own', name }], {
      ...honest,
      ...own,
    }).lookUp()
    expect(deployments).toHaveLength(isFound ? 1 : 0)
    if (!isFound) expect(complete).toBe(false)
  })

  it("isn't complete if someone else’s deletion moves entries to the page before", async () => {
    const list = others(140)
    list.splice(100, 0, { id: 'own', name })
    const { complete, deployments } = await new Service(list, honest, [
      { kind: 'remove', at: 3, count: 1 },
    ]).lookUp()
    // The entry on the border is found, since pages overlap by one. Others may be missed.
    expect({ complete, found: deployments.length }).toEqual({ complete: false, found: 1 })
  })

  it.each([
    [0, {}, 1],
    [1, {}, 2],
    [7, {}, 2],
    [140, {}, 3],
    [240, {}, 4],
    [0, { echo: 'limit' as const }, 1],
    [7, { echo: 'limit' as const }, 3],
    [7, { echo: 'given' as const }, 2],
    [55, { caps: [20] }, 4],
  ])('of %i takes few requests %j', async (count, own, max) => {
    const service = new Service(others(count), { ...honest, ...own })
    expect(await service.lookUp()).toMatchObject({ complete: true, deployments: [] })
    // And one for each other form of the name, which has no entries.
    expect(service.requests).toBe(max + formsOf(name).length - 1)
  })

  it('stores no more to compare for all forms of its name together than for one', async () => {
    const many = 1_500
    let count = 0
    const http: HttpClient = {
      request: ({ query }) => {
        const made = {
          id: `d${(count += 1)}`,
          name: 'My-App_x',
          source: 'internal_docker',
          source_config: { resource_spec: { values: Array.from({ length: many }, (_, n) => n) } },
          secrets: [],
        }
        const resources = query?.get('offset') === '0' ? [made] : []
        return Promise.resolve(
          succeed({ status: 200, durationMs: 1, body: jsonBody({ resources, offset: 1 }) }),
        )
      },
      forget: () => Promise.resolve(),
    }
    const listed = await listNamed(http, target, 'My-App_x', never)
    if (!listed.ok) expect.unreachable(listed.failure.message)
    const { deployments, unreadable } = listed.value
    const readable = Math.floor(answerLimits.comparedValues / many)
    expect(deployments).toHaveLength(readable)
    expect(unreadable).toBe(formsOf('My-App_x').length - readable)
  })
})
