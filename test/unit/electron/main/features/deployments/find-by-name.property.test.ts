import { succeed } from '@contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listNamed, type NamedDeployments } from '../../../../../../electron/main/features/deployments/list'
import type { HttpClient } from '../../../../../../electron/main/http/client'
import { jsonBody } from '../../../../../support/builders/answer-bodies'

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
}

const honest: Habits = {
  caps: [100],
  echo: 'next',
  isQueryDropped: false,
  isFilteredLate: false,
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
      return Promise.resolve(succeed({ status: 200, body: jsonBody(answer) }))
    },
  }

  async lookUp(): Promise<NamedDeployments> {
    const listed = await listNamed(this.http, target, name, never)
    if (!listed.ok) expect.unreachable(listed.failure.message)
    return listed.value
  }

  #answer(query: URLSearchParams): object {
    const { caps, echo, isQueryDropped, isFilteredLate } = this.habits
    const effective = isQueryDropped ? new URLSearchParams() : query
    const offset = Number(effective.get('offset') ?? 0)
    const limit = Math.min(caps[this.requests % caps.length]!, Number(effective.get('limit') ?? 20))
    const contained = effective.get('name_contains')
    const filter = ({ name: own }: Entry): boolean => contained === null || own.includes(contained)
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

  it("is complete if it didn't change, with any page size and any offset", async () => {
    await fc.assert(
      fc.asyncProperty(lists, habits, async (list, own) => {
        const service = new Service(list, { ...own, isQueryDropped: false })
        expect(await service.lookUp()).toMatchObject({ complete: true, deployments: [{ id: 'own' }] })
      }),
    )
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
})
