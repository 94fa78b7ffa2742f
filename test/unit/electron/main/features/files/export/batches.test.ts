import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fail, failure, nextPage, type Outcome, type ParsedCallInput, summarise, succeed } from '@contract'
import { listedDeploymentSchema } from '../../../../../../../electron/contract/deployment-api/deployment'
import type { ExportedList } from '../../../../../../../electron/contract/cache'
import {
  type Batch,
  type ExportSources,
  readBatches,
} from '../../../../../../../electron/main/features/files/export/batches'
import { several } from '../../../../../../support/builders/cached-deployments'

const environmentId = 'environment'
const { signal } = new AbortController()
const rows = several(400).map((answered) => summarise(listedDeploymentSchema.parse(answered)))

/** A service that returns at most `most` deployments per page, and changes its list before each request. */
function serviceWith(list: typeof rows, max: number, change: (request: number) => void): ExportSources {
  let request = 0
  return {
    cache: { ask: () => Promise.reject(new Error('not asked')) },
    page: ({ query }: ParsedCallInput<'deployments.page'>) => {
      change((request += 1))
      const { limit, offset } = query
      const deployments = list.slice(offset, offset + Math.min(limit, max))
      const received = deployments.length
      const next = nextPage({ limit, offset, received, returnedOffset: offset + received })
      return Promise.resolve(
        succeed({
          environmentId,
          offset,
          received,
          deployments,
          unreadable: [],
          nextOffset: next.offset,
          end: next.end,
          fetchedAt: '2026-11-23T00:00:00.000Z',
        }),
      )
    },
  }
}

async function readAll(batches: AsyncGenerator<Outcome<Batch>>): Promise<Batch[]> {
  const read: Batch[] = []
  for await (const batch of batches) {
    if (!batch.ok) throw new Error(batch.failure.message)
    read.push(batch.value)
  }
  return read
}

const service = { from: 'service', filters: {} } as const

describe("the service's list", () => {
  it('is read completely and in order, whatever the length of its pages', async () => {
    const lengths = fc.integer({ min: 0, max: rows.length })
    await fc.assert(
      fc.asyncProperty(lengths, fc.integer({ min: 1, max: 150 }), async (length, max) => {
        const list = rows.slice(0, length)
        const read = await readAll(
          readBatches(
            serviceWith(list, max, () => {}),
            environmentId,
            service,
            signal,
          ),
        )
        expect(read.flatMap(({ deployments }) => deployments)).toEqual(list)
        expect(read.some(({ mayBeIncomplete }) => mayBeIncomplete)).toBe(false)
      }),
    )
  })

  it.each([
    ['one list', []],
    ['several statuses', ['READY', 'UNUSED', 'UNKNOWN']],
  ])(
    'of %s has each lasting deployment once, or says that one may be missing, whatever the pages and deletions',
    async (_of, statuses) => {
      const script = fc.array(
        fc.record({
          length: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 100 })),
          deleted: fc.oneof(
            { weight: 3, arbitrary: fc.constant([]) },
            fc.array(fc.nat(1_000), { maxLength: 5 }),
          ),
        }),
        { minLength: 1, maxLength: 40 },
      )
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 150 }),
          script,
          fc.boolean(),
          async (length, answers, isRepeated) => {
            let list = rows.slice(0, length).map((row, at) => ({
              ...row,
              status: statuses.length ? statuses[Math.floor(at / 2) % 3]! : row.status,
            }))
            let request = 0
            const sources = serviceWith([], 1, () => {})
            const page: ExportSources['page'] = (input, context) => {
              expect((request += 1)).toBeLessThan(3_000)
              const answer = answers[isRepeated ? request % answers.length : request]
              for (const at of answer?.deleted ?? []) list = list.filter((_, index) => index !== at % length)
              const own = list.filter(({ status }) => !input.query.status || status === input.query.status)
              return serviceWith(own, answer?.length ?? 100, () => {}).page(input, context)
            }
            const filters = { statuses }
            const read = await readAll(
              readBatches({ ...sources, page }, environmentId, { from: 'service', filters }, signal),
            )
            const ids = read.flatMap(({ deployments }) => deployments).map(({ id }) => id)
            expect(new Set(ids).size).toBe(ids.length)
            if (read.some(({ mayBeIncomplete }) => mayBeIncomplete)) return
            expect(list.map(({ id }) => id).filter((id) => !ids.includes(id))).toEqual([])
          },
        ),
      )
    },
    30_000,
  )

  it('of some deployments requests as many at once as a page has, and of none requests nothing', async () => {
    const requested: (string | null | undefined)[] = []
    const sources = serviceWith([], 100, () => {})
    const page: ExportSources['page'] = (input, signal) => {
      requested.push(input.query.deployment_ids)
      return sources.page(input, signal)
    }
    const ids = Array.from({ length: 150 }, (_, index) => `${index}`)
    const list = (some: string[]): ExportedList => ({ from: 'service', filters: { ids: some } })
    await readAll(readBatches({ ...sources, page }, environmentId, list(ids), signal))
    expect(requested).toEqual([ids.slice(0, 100).join(), ids.slice(100).join()])
    const typed: ExportedList = { from: 'service', filters: { ids, deployment_ids: '3, x' } }
    await readAll(readBatches({ ...sources, page }, environmentId, typed, signal))
    expect(requested.at(-1)).toBe('3')
    expect(await readAll(readBatches({ ...sources, page }, environmentId, list([]), signal))).toEqual([])
  })

  /** The list of several statuses, each given by its own service. */
  const readMerged = (serviceOf: (own: typeof rows) => ExportSources) =>
    readAll(
      readBatches(
        {
          ...serviceWith([], 1, () => {}),
          page: ({ query }, context) => {
            const own = rows.filter(({ status }) => status === query.status)
            return serviceOf(own).page({ environmentId, query }, context)
          },
        },
        environmentId,
        { from: 'service', filters: { statuses: ['READY', 'UNUSED'] } },
        signal,
      ),
    )

  it.each([1, 2, 20, 100])(
    'is that of several statuses merged, each deployment once, if a page has %i',
    async (max) => {
      const read = await readMerged((own) => serviceWith(own, max, () => {}))
      const ids = read.flatMap(({ deployments }) => deployments).map(({ id }) => id)
      expect([...ids].sort()).toEqual(rows.map(({ id }) => id).sort())
      expect(read.some(({ mayBeIncomplete }) => mayBeIncomplete)).toBe(false)
    },
  )

  it('ends, and says so, if a service answers the same page forever', async () => {
    const sources = serviceWith(rows.slice(0, 100), 100, () => {})
    const repeating: ExportSources = {
      ...sources,
      page: async (input, context) => {
        const page = await sources.page({ ...input, query: { ...input.query, offset: 0 } }, context)
        return page.ok
          ? succeed({ ...page.value, end: null, nextOffset: input.query.offset + page.value.received })
          : page
      },
    }
    const ofStatuses: ExportedList = { from: 'service', filters: { statuses: ['READY', 'UNUSED'] } }
    for (const list of [service, ofStatuses]) {
      const read = await readAll(readBatches(repeating, environmentId, list, signal))
      expect(read.flatMap(({ deployments }) => deployments)).toHaveLength(100)
      expect(read.at(-1)?.mayBeIncomplete).toBe(true)
    }
  })

  it('ends with the failure of a page', async () => {
    const offline = fail(failure('offline', 'No connection.'))
    const sources = { ...serviceWith([], 1, () => {}), page: () => Promise.resolve(offline) }
    const batches = readBatches(sources, environmentId, service, signal)
    expect((await batches.next()).value).toBe(offline)
    expect((await batches.next()).done).toBe(true)
  })
})

describe('the cached list', () => {
  const list = {
    from: 'cache',
    query: { filters: {}, search: '', sort: { by: 'name', descending: false } },
  } as const

  function cacheOf(snapshots: (offset: number) => string): ExportSources {
    const ask = ((_id: string, _op: string, { request }: { request: { offset: number; limit: number } }) =>
      Promise.resolve(
        succeed({
          snapshot: snapshots(request.offset),
          total: rows.length,
          deployments: rows.slice(request.offset, request.offset + request.limit),
        }),
      )) as unknown as ExportSources['cache']['ask']
    return { cache: { ask }, page: () => Promise.reject(new Error('not asked')) }
  }

  it('is read from one snapshot', async () => {
    const read = await readAll(
      readBatches(
        cacheOf(() => 'one'),
        environmentId,
        list,
        signal,
      ),
    )
    expect(read.flatMap(({ deployments }) => deployments)).toEqual(rows)
    const changed = readBatches(cacheOf(String), environmentId, list, signal)
    expect((await changed.next()).value).toMatchObject({ ok: true })
    expect((await changed.next()).value).toMatchObject({
      ok: false,
      failure: { code: 'cache', retryable: true },
    })
  })
})
