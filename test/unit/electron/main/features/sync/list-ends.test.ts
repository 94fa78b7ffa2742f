import { succeed } from '@contract'
import { describe, expect, test } from 'vitest'
import { synchronise } from '../../../../../../electron/main/features/sync/engine'
import { answered } from '../../../../../support/builders/cached-deployments'
import { jsonBody } from '../../../../../support/builders/json-body'
import { SqliteStore } from '../../../../../support/sync/stores'
import { TestClock } from '../../../../../support/sync/model-service'

type Item = ReturnType<typeof answered>
type Service = (all: Item[], offset: number, limit: number) => { resources: unknown; offset?: unknown }

/** A page as the interface describes it. */
const page = (all: Item[], offset: number, limit: number) => {
  const resources = all.slice(offset, offset + limit)
  return { resources, offset: offset + resources.length }
}

const lastPage = (all: Item[], limit: number): number =>
  Math.max(0, Math.ceil(all.length / limit) - 1) * limit

const services: Record<string, Service> = {
  'as the interface describes': page,
  'its last page beyond the end': (all, offset, limit) =>
    offset < all.length ? page(all, offset, limit) : page(all, lastPage(all, limit), limit),
  'its last page beyond the end, with an offset that goes on': (all, offset, limit) => ({
    ...(offset < all.length ? page(all, offset, limit) : page(all, lastPage(all, limit), limit)),
    offset: offset + limit,
  }),
  'null as its last offset': (all, offset, limit) => ({
    ...page(all, offset, limit),
    ...(offset + limit >= all.length ? { offset: null } : {}),
  }),
  'null as every offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: null }),
  'no offset': (all, offset, limit) => ({ resources: all.slice(offset, offset + limit) }),
  'an offset as a text': (all, offset, limit) => ({
    ...page(all, offset, limit),
    offset: `${offset + limit}`,
  }),
  'an odd text as an offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: 'next' }),
  'a negative offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: -1 }),
  'a broken offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: 1.5 }),
  'an object as an offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: { next: 1 } }),
  'the offset of the request': (all, offset, limit) => ({ ...page(all, offset, limit), offset }),
  'zero as every offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: 0 }),
  'the length of the list as every offset': (all, offset, limit) => ({
    ...page(all, offset, limit),
    offset: all.length,
  }),
  'an offset far beyond the end': (all, offset, limit) => ({ ...page(all, offset, limit), offset: 10 ** 9 }),
  'the number of the page as an offset': (all, offset, limit) => ({
    ...page(all, offset * limit, limit),
    offset: offset + 1,
  }),
  'null for an empty page': (all, offset, limit) =>
    offset < all.length ? page(all, offset, limit) : { resources: null, offset },
  'an empty object for an empty page': (all, offset, limit) =>
    offset < all.length ? page(all, offset, limit) : { resources: {}, offset: null },
}

async function sync(service: Service, count: number) {
  const all = Array.from({ length: count }, (_, index) => answered(index))
  let requests = 0
  const answer = (body: unknown) => {
    requests += 1
    const span = { sentAt: 1_000 * requests, receivedAt: 1_000 * requests + 1 }
    return Promise.resolve(succeed({ body: jsonBody(body), digest: String(requests), span }))
  }
  const store = new SqliteStore()
  const source = {
    fetchPage: (offset: number, limit: number) => answer(service(all, offset, limit)),
    fetchByIds: (ids: string[]) =>
      answer(
        page(
          all.filter(({ id }) => ids.includes(String(id))),
          0,
          100,
        ),
      ),
  }
  const adapters = { source, store, clock: new TestClock(), random: () => 0.5 }
  const { end } = await synchronise(adapters, {}, new AbortController().signal, () => undefined)
  const cached = store.contents().size
  store.close()
  return { end, cached, requests }
}

describe.each(Object.entries(services))('a service that answers with %s', (_, service) => {
  test.each([0, 1, 4, 99, 100, 101, 250, 1_000])(
    'gives all of %i deployments, for few requests',
    async (count) => {
      const { end, cached, requests } = await sync(service, count)
      expect([end, cached]).toEqual(['complete', count])
      expect(requests).toBeLessThanOrEqual(2 * Math.ceil(count / 100) + 20)
    },
  )
})

test.each([1, 4, 99, 101, 250, 950])(
  'a service that answers with the page that an offset lies on gives all of %i deployments',
  async (count) => {
    const { end, cached, requests } = await sync(
      (all, offset, limit) =>
        page(all, Math.min(Math.floor(offset / limit) * limit, lastPage(all, limit)), limit),
      count,
    )
    expect([end, cached]).toEqual(['complete', count])
    expect(requests).toBeLessThanOrEqual(2 * Math.ceil(count / 100) + 20)
  },
)

test.each([4, 100, 250])(
  'a service that ignores the offset gives what it shows of %i deployments',
  async (count) => {
    const { end, cached, requests } = await sync((all, _offset, limit) => page(all, 0, limit), count)
    expect([end, cached]).toEqual([count < 100 ? 'complete' : 'unsettled', Math.min(count, 100)])
    expect(requests).toBeLessThanOrEqual(22)
  },
)
