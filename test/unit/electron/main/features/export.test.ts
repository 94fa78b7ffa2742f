import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fail, failure, nextPage, type Outcome, summarise, succeed, type ParsedCallInput } from '@contract'
import { listedDeploymentSchema } from '../../../../../electron/contract/deployment-api/deployment'
import { createExports, type ExportOptions, type Exports } from '../../../../../electron/main/features/export'
import { answered, several } from '../../../../support/builders/answer-bodies'
import { temporaryFolder } from '../../../../support/temporary-folder'
import fc from 'fast-check'
import {
  type Batch,
  type ExportSources,
  readBatches,
} from '../../../../../electron/main/features/export/batches'
import { csvSeparators, type ExportedList } from '@contract/cache'
import { formatWriter } from '../../../../../electron/main/features/export/formats'

describe('a file', () => {
  const rows = several(250).map((answered) => summarise(listedDeploymentSchema.parse(answered)))
  const environmentId = 'environment'
  const request = { list: { from: 'service', filters: {} }, format: 'json', separator: ',' } as const

  let folder = ''
  let path = ''
  beforeEach(() => {
    folder = temporaryFolder()
    path = join(folder, 'list.json')
  })

  const page: ExportOptions['page'] = ({ query: { limit, offset } }) => {
    const deployments = rows.slice(offset, offset + limit)
    const received = deployments.length
    const next = nextPage({ limit, offset, received, returnedOffset: offset + received })
    const answer = { environmentId, offset, received, deployments, unreadable: [], nextOffset: next.offset }
    return Promise.resolve(succeed({ ...answer, end: next.end, fetchedAt: '2026-11-23T00:00:00.000Z' }))
  }

  function exportsWith(more: Partial<ExportOptions>): Exports {
    const cache = { ask: () => Promise.reject(new Error('not asked')) }
    const options = {
      page,
      cache,
      askWhere: () => Promise.resolve(path),
      progress: () => {},
      nameOf: () => 'Production',
      serviceOf: () => 'one',
      showFile: () => {},
      ...more,
    }
    return createExports(options)
  }

  const exportWith = (
    more: Partial<ExportOptions>,
    signal = new AbortController().signal,
  ): Promise<Outcome<unknown>> =>
    exportsWith(more).answers['deployments.export']({ environmentId, request }, signal)

  describe('an export', () => {
    it.each([
      ['Production (EU)', 'deployments-Production-EU-2026-01-05'],
      ['../../etc/passwd', 'deployments-etc-passwd-2026-01-05'],
      ['///', 'deployments-environment-2026-01-05'],
    ])('suggests a name that contains the environment %s and the date', async (name, suggested) => {
      vi.setSystemTime(new Date(2026, 0, 5, 23, 59))
      const askWhere = vi.fn(() => Promise.resolve(null))
      await exportWith({ nameOf: () => name, askWhere })
      vi.useRealTimers()
      expect(askWhere).toHaveBeenCalledWith('json', `${suggested}.json`)
    })

    it('leaves an existing file as it was if it fails or is cancelled', async () => {
      await writeFile(path, 'before')
      const secondFails: ExportOptions['page'] = (input, signal) =>
        input.query.offset === 0
          ? page(input, signal)
          : Promise.resolve(fail(failure('offline', 'No connection.')))
      expect(await exportWith({ page: secondFails })).toMatchObject({
        ok: false,
        failure: { code: 'offline' },
      })

      const controller = new AbortController()
      const cancelling: ExportOptions['page'] = (input, signal) => {
        controller.abort(failure('cancelled', 'Cancelled.'))
        return page(input, signal)
      }
      const cancelled = await exportWith({ page: cancelling }, controller.signal)
      expect(cancelled).toMatchObject({ ok: false, failure: { code: 'cancelled' } })

      const services = ['one', 'other']
      const edited = await exportWith({ serviceOf: () => services.shift() ?? 'other' })
      expect(edited).toMatchObject({ ok: false, failure: { code: 'environment-changed' } })

      expect(await readdir(folder)).toEqual(['list.json'])
      expect(await readFile(path, 'utf8')).toBe('before')
    })
  })
})

describe('what is exported', () => {
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
                for (const at of answer?.deleted ?? [])
                  list = list.filter((_, index) => index !== at % length)
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
})

describe('formats', () => {
  const named = (index: number, name: string) =>
    summarise(listedDeploymentSchema.parse(answered(index, { name })))

  /**
   * Reads CSV as Python and spreadsheets do: quotes count where they begin a cell, and what follows the closing one is
   * taken.
   */
  function lenientCells(csv: string, delimiter: string): string[] {
    const cells: string[] = []
    let cell = ''
    let state: 'begin' | 'plain' | 'quoted' | 'closing' = 'begin'
    for (const character of csv) {
      if (state === 'quoted') {
        if (character === '"') state = 'closing'
        else cell += character
      } else if (state === 'begin' && character === '"') state = 'quoted'
      else if (state === 'closing' && character === '"') {
        cell += character
        state = 'quoted'
      } else if (character === delimiter || character === '\r' || character === '\n') {
        cells.push(cell)
        cell = ''
        state = 'begin'
      } else {
        cell += character
        state = 'plain'
      }
    }
    return [...cells, cell]
  }

  const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@\u2212\uFF0B\uFF0D\uFF1D\uFF20]/u

  const hostileText = fc.array(
    fc.oneof(
      fc.constantFrom(...'=+-@;,|\t\r\n" \u00a0\u3000\u200b\u2212\uFF1D\'a1'),
      fc.constantFrom(';"=1', '\t"=1+1"\t', '\r\n', '""', '","', ';;', '; "-'),
    ),
    { maxLength: 12 },
  )

  describe('CSV', () => {
    it.each(csvSeparators)(
      'has no formula in any cell, whatever separator a spreadsheet uses: %j',
      (separator) => {
        fc.assert(
          fc.property(fc.array(fc.tuple(hostileText, hostileText), { maxLength: 3 }), (pieces) => {
            const rows = pieces.map(([name, ref], index) => ({
              ...named(index, name.join('')),
              name: name.join(''),
              repo_ref: ref.join(''),
            }))
            const writer = formatWriter('csv', 'service', separator)
            const csv = writer.begin + writer.rows(rows, true) + writer.end
            for (const delimiter of [',', ';', '\t', '|'])
              expect(lenientCells(csv, delimiter).filter((cell) => formula.test(cell))).toEqual([])

            // Only apostrophes are added.
            const cells = lenientCells(csv, separator)
            const texts = rows.flatMap(({ name, repo_ref }) => [name, repo_ref])
            const plain = cells.map((cell) => cell.replaceAll("'", ''))
            for (const text of texts) expect(plain).toContain(text.replaceAll("'", ''))

            const json = formatWriter('json', 'service', ',')
            expect(JSON.parse(json.begin + json.rows(rows, true) + json.end)).toEqual(rows)
          }),
        )
      },
    )

    it('quotes what needs quotes, and keeps texts that a spreadsheet would run as texts', () => {
      const writer = formatWriter('csv', 'service', ',')
      const lines = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', 'a,"b"\nc', 'a\nb', 'plain'].map(
        (name, index) => writer.rows([named(index, name)], index === 0),
      )
      expect(lines.map((line) => line.slice(0, line.indexOf(',00000000-')))).toEqual([
        "'=1+1",
        "'+1",
        "'-1",
        "'@SUM(A1)",
        `"'\t'=1"`,
        `"'\r'=1"`,
        "'＝1",
        '"a,""b""\nc"',
        '"a\nb"',
        'plain',
      ])
    })

    it.each(csvSeparators)(
      'has the columns that a spreadsheet with this separator expects: %j',
      (separator) => {
        const writer = formatWriter('csv', 'service', separator)
        const texts = ['a;b,c\td', 'plain', ' blanks ', '"quoted"', 'two\nlines', 'Kolsås · 東京']
        const rows = texts.map((name, index) => writer.rows([named(index, name)], index === 0)).join('')
        const cells = lenientCells((writer.begin + rows).replaceAll('\r\n', '\n').slice(1), separator)
        const width = writer.begin.split(separator).length
        expect(cells.slice(0, width).slice(0, 3)).toEqual(['name', 'id', 'status'])
        expect(texts.map((_text, row) => cells[(row + 1) * width])).toEqual(texts)
      },
    )

    it('begins with a byte order mark and the columns, and has an empty field for what is unknown', () => {
      const writer = formatWriter('csv', 'cache', ',')
      expect(writer.begin).toMatch(/^\ufeffname,id,status,source,.*,fetched_at,gone_at\r\n$/)
      const cached = { ...named(1, 'a'), deployment_type: 'prod', fetched_at: '2026-01-01', gone_at: null }
      expect(writer.rows([cached], true)).toMatch(/^a,.*,prod,2026-01-01,\r\n$/)
    })
  })
})
