import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { succeed } from '@contract'
import {
  readViewsFile,
  type SavedView,
  savedViewSchema,
  type ViewContent,
  viewContentSchema,
  viewLimits,
} from '@contract/cache'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { readFileAs } from '../../../../../electron/main/processes/answers'
import { addressFinder, createViews } from '../../../../../electron/main/stored/personal/views'
import { valuesOf } from '../../../../support/properties/arbitraries'
import { environmentsWithData, openPersonalIn } from '../../../../support/main/state'
import { temporaryFolder } from '../../../../support/temporary-folder'

/** The content of a view with this name; `search` is its search text. */
const content = (name: string, search = ''): ViewContent => ({
  name,
  filters: {
    name: search,
    statuses: ['READY'],
    rollingOut: false,
    deploymentType: null,
    remoteReconciled: 'yes',
    imageVersion: '',
    tagValueIds: '',
    deploymentIds: '',
    favourites: true,
    label: 'mine',
  },
  source: 'cached',
  sort: { by: 'name', descending: false },
  size: 20,
})

/** A saved view whose identifier ends with a digit. */
const view = (digit: number, name: string, environmentId: string | null = 'e'): SavedView => ({
  id: `00000000-0000-4000-8000-00000000000${digit}`,
  environmentId,
  ...content(name),
})

describe('views', () => {
  let folder: string
  /** What the operator chooses in the dialog; null if they cancel. */
  let chosen: string | null
  beforeEach(() => {
    folder = temporaryFolder()
    chosen = join(folder, 'shared.json')
  })

  function start() {
    const personal = openPersonalIn(folder)
    const answers = createViews({
      personal,
      exists: (id) => id === 'e' || id === 'f',
      confidential: () => (text) => text.includes('hunter2'),
      askWhich: () => Promise.resolve(chosen),
      askWhere: () => Promise.resolve(chosen),
    })
    const { signal } = new AbortController()
    return {
      personal,
      list: () => answers['views.list']({}, signal),
      save: (views: SavedView[]) => answers['views.save']({ views }, signal),
      share: (ids: string[]) => answers['views.share']({ ids }, signal),
      read: () => answers['views.read']({}, signal),
    }
  }

  describe('saved views', () => {
    it('are removed with their environment; those for all stay', async () => {
      const views = start()
      await views.save([view(1, 'Of e'), view(2, 'Of f', 'f'), view(3, 'All', null)])
      expect(await environmentsWithData(views.personal)).toEqual(['e', 'f'])
      await views.personal.forget('e')
      expect(await start().list()).toEqual(succeed([view(2, 'Of f', 'f'), view(3, 'All', null)]))
    })

    it('have one name each for an environment, and are added together or not at all', async () => {
      const views = start()
      await views.save([view(1, 'Mine')])
      const taken = await views.save([view(2, 'Other'), view(3, 'Mine')])
      expect(taken).toMatchObject({ ok: false, failure: { code: 'invalid-input' } })
      expect(await views.save([view(4, 'Lost', 'gone')])).toMatchObject({ failure: { code: 'not-found' } })
      expect(await views.list()).toEqual(succeed([view(1, 'Mine')]))
      expect(await views.save([view(2, 'Mine', 'f'), view(3, 'Mine', null)])).toMatchObject({ ok: true })
    })

    it('are no more than the limit', async () => {
      const views = start()
      const many = Array.from({ length: viewLimits.count }, (_, index) => ({
        ...view(0, `View ${index}`),
        id: crypto.randomUUID(),
      }))
      expect(await views.save(many)).toMatchObject({ ok: true })
      expect(await views.save([view(1, 'One more')])).toMatchObject({ failure: { code: 'invalid-input' } })
    })
  })

  describe('a file with views', () => {
    it('has what a view says about the list and nothing about its origin, and is read again', async () => {
      const views = start()
      await views.save([view(1, 'Mine'), view(2, 'All', null), view(3, 'Not chosen')])
      expect(await views.share([1, 2].map((number) => view(number, '').id))).toEqual(
        succeed({ path: chosen }),
      )
      expect(JSON.parse(await readFile(chosen!, 'utf8'))).toEqual({
        format: 'slipway-views',
        version: 1,
        views: [content('Mine'), content('All')],
      })
      const other = start()
      expect(await other.read()).toEqual(
        succeed({ fileName: 'shared.json', views: [content('Mine'), content('All')] }),
      )
      expect(await other.list()).toMatchObject({ value: { length: 3 } })
    })

    it('is not written with a stored secret in a filter, whatever the operator chose', async () => {
      const views = start()
      await views.save([{ ...view(1, 'Mine'), ...content('Mine', 'key hunter2') }])
      expect(await views.share([view(1, '').id])).toMatchObject({ failure: { code: 'not-allowed' } })
      await expect(readFile(chosen!)).rejects.toThrow()
    })

    it('is not written if it would be too large to be read again', async () => {
      const views = start()
      const many = Array.from({ length: 130 }, (_, index): SavedView => {
        const { filters, ...rest } = view(0, `View ${index}`)
        const long = 'x'.repeat(viewLimits.textLength)
        const texts = { name: long, imageVersion: long, tagValueIds: long, deploymentIds: long }
        return { ...rest, id: crypto.randomUUID(), filters: { ...filters, ...texts } }
      })
      expect(await views.save(many)).toMatchObject({ ok: true })
      expect(await views.share(many.map(({ id }) => id))).toMatchObject({
        failure: { code: 'invalid-input', message: expect.stringContaining('more than 2 MB') as string },
      })
      await expect(readFile(chosen!)).rejects.toThrow()
      expect(await views.share(many.slice(0, 120).map(({ id }) => id))).toEqual(succeed({ path: chosen }))
      expect(await views.read()).toMatchObject({ value: { views: { length: 120 } } })
    })

    it.each<[string, (file: { version: number; views: Record<string, unknown>[] }) => unknown]>([
      ['of a newer version', (file) => (file.version = 2)],
      ['without views', (file) => (file.views = [])],
      ['with too many', (file) => (file.views = Array.from({ length: 201 }, () => content('Many')))],
      ['with a name that turns text around', (file) => (file.views[0]!.name = 'safe\u202etxt')],
      ['with a name that draws nothing', (file) => (file.views[0]!.name = '\u200b')],
      ['with a filter that draws nothing', (file) => (file.views = [content('x', 'a\u2060b')])],
      ['with an environment', (file) => (file.views[0]!.environmentId = 'e')],
      ['with a base URL', (file) => (file.views[0]!.baseUrl = 'https://evil.example')],
      ['with a long search', (file) => (file.views = [content('x', 'a'.repeat(5_000))])],
    ])('%s is refused', async (_what, change) => {
      const file = { format: 'slipway-views', version: 1, views: [{ ...content('Mine') }] }
      expect(readViewsFile(file)).not.toBeNull()
      change(file)
      await writeFile(chosen!, JSON.stringify(file))
      expect(await start().read()).toMatchObject({ failure: { code: 'invalid-input' } })
    })

    it('has its label in the form in which labels are stored', () => {
      const view = content('Mine')
      const file = { format: 'slipway-views', version: 1, views: [view] }
      view.filters.label = 'e\u0301'
      expect(readViewsFile(file)).toMatchObject([{ filters: { label: '\u00e9' } }])
    })

    it('with any content yields views of the schema or nothing', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            fc.string({ maxLength: 300, unit: 'binary' }),
            fc.json(),
            fc
              .record({
                format: fc.constant('slipway-views'),
                version: fc.constantFrom(1, 2, '1'),
                views: fc.array(
                  fc.oneof(valuesOf(savedViewSchema, {}), valuesOf(viewContentSchema, {}), fc.object()),
                ),
              })
              .map((file) => JSON.stringify(file)),
          ),
          async (text) => {
            const views = await readFileAs({ kind: 'views-file' }, new TextEncoder().encode(text))
            expect(views === null || views.every((one) => viewContentSchema.safeParse(one).success)).toBe(
              true,
            )
            expect(JSON.stringify(views)).not.toMatch(/environmentId|"id"/)
          },
        ),
      )
    })
  })
})

describe('an address in a text', () => {
  const hasAddress = (text: string, baseUrls: readonly string[]): boolean => addressFinder(baseUrls)(text)

  it('finds the host of a base URL in any case, with and without its port, and no other', () => {
    const baseUrls = ['https://Control.Example.com/api', 'http://127.0.0.1:8080']
    expect(hasAddress('see https://CONTROL.example.com/v2', baseUrls)).toBe(true)
    expect(hasAddress('127.0.0.1:8080', baseUrls)).toBe(true)
    expect(hasAddress('127.0.0.1', baseUrls)).toBe(true)
    expect(hasAddress('127.0.0.12', baseUrls)).toBe(false)
    expect(hasAddress('control plane of example.com', baseUrls)).toBe(false)
    expect(hasAddress('anything', [])).toBe(false)
  })

  it.each(['internal-host.example', 'http://Internal-Host.example/base', 'api.internal-host.example:8443'])(
    'finds a host that is written as %s',
    (text) => {
      for (const baseUrl of ['http://Internal-Host.example:8443/base', 'http://internal-host.example.'])
        expect(hasAddress(text, [baseUrl])).toBe(true)
    },
  )

  it.each(['münchen-intern.example', new URL('https://münchen-intern.example').hostname])(
    'finds an international host that is written as %s',
    (text) => {
      expect(hasAddress(text, ['https://münchen-intern.example'])).toBe(true)
    },
  )

  it.each([
    ['localhost', 'http://localhost:9101', true],
    ['at (LOCALHOST)', 'http://localhost:9101', true],
    ['http://localhost:80', 'http://localhost:9101', true],
    ['localhosts', 'http://localhost:9101', false],
    ['my-localhost, my_localhost', 'http://localhost:9101', false],
    ['apis, then the api', 'http://api', true],
    ['api-gateway', 'http://api', false],
    ['a papier-mâché apiary', 'http://api', false],
    ['fd00::1', 'http://[fd00::1]:8080', true],
    ['fd00::12', 'http://[fd00::1]:8080', false],
  ])('finds in "%s" a host of one word as a whole word alone, of %s', (text, baseUrl, found) => {
    expect(hasAddress(text, [baseUrl])).toBe(found)
  })
})
