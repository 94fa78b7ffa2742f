import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEnvironmentData } from '../../../../../electron/main/application/environment-data'
import { storedIn } from '../../../../../electron/main/processes/cache-client/cache-files'
import { marker } from '../../../../../electron/main/processes/keychain/types'
import { filesSetAside } from '../../../../../electron/main/window/notices/set-aside-files'
import { FakeKeychain, open, temporaryFolder } from '../../../../support/main/environments'

const [listed, gone, unfinished] = [1, 2, 3].map(
  (digit) => `00000000-0000-4000-8000-00000000000${digit}`,
) as [string, string, string]

interface Place {
  folder: string
  keychain: FakeKeychain
  withDrafts: string[] | null
  inPersonal: string[] | null
}

const write = ({ folder }: Place, name: string, text = ''): Promise<void> =>
  writeFile(join(folder, name), text)

/** The environments whose data is deleted at a start, after `prepare` has changed the files. */
async function lost(prepare: (place: Place) => unknown = () => undefined): Promise<string[]> {
  const place: Place = {
    folder: temporaryFolder(),
    keychain: new FakeKeychain(),
    withDrafts: [listed, gone],
    inPersonal: [],
  }
  const { folder, keychain } = place
  keychain.entries.set(marker.account, marker.value)
  const index = {
    version: 1,
    environments: [{ id: listed, name: 'Listed' }],
    unfinished: [{ id: unfinished, name: 'Unfinished' }],
    current: listed,
    integrations: {},
    rebuild: false,
  }
  await write(place, 'environments.json', JSON.stringify(index))
  await mkdir(join(folder, 'cache'))
  for (const id of [listed, gone, unfinished, 'built-in-cloud', 'of-somebody-else']) {
    await write(place, `cache/${id}.db`)
    await write(place, `cache/${id}.db.header`)
  }
  await prepare(place)

  const forgotten: string[] = []
  const removed: string[] = []
  const fromPersonal: string[] = []
  const fromWatches: string[] = []
  const { environments } = open({ keychain, userDataFolder: folder })
  const { settleLeftOver } = createEnvironmentData({
    filesSetAside: () => filesSetAside(folder),
    environments,
    drafts: {
      environments: () => place.withDrafts,
      forget: (id) => forgotten.push(id),
      settle: () => Promise.resolve(),
    },
    personal: {
      environments: () => place.inPersonal,
      forget: (id) => Promise.resolve(void fromPersonal.push(id)),
    },
    watches: {
      environments: () => place.inPersonal,
      forget: (id) => Promise.resolve(void fromWatches.push(id)),
    },
    cache: {
      stored: () => storedIn(join(folder, 'cache')),
      remove: (id) => Promise.resolve(void removed.push(id)),
    },
    synchronisation: { forget: () => Promise.resolve() },
    report: (error) => expect(error).toBeUndefined(),
  })
  await settleLeftOver()
  expect(removed).toEqual(forgotten)
  expect(fromPersonal).toEqual(forgotten)
  expect(fromWatches).toEqual(forgotten)
  return removed
}

it('the data of a removed environment is deleted, and nothing else', async () => {
  expect(await lost()).toEqual([gone])
})

it.each<[string, (place: Place) => unknown]>([
  ['the list of environments is missing', ({ folder }) => rm(join(folder, 'environments.json'))],
  ['the list was damaged', (place) => write(place, 'environments.json', '{"version":1,')],
  ['the list is of a newer version', (place) => write(place, 'environments.json', '{"version":2}')],
  [
    'what the list had is still searched for',
    async (place) => {
      const index = await readFile(join(place.folder, 'environments.json'), 'utf8')
      await write(place, 'environments.json', index.replace('"rebuild":false', '"rebuild":true'))
    },
  ],
  ['an earlier list was set aside', (place) => write(place, 'environments.json.damaged-2026-11-22')],
  ['earlier drafts and notes were set aside', (place) => write(place, 'state.db.damaged-2026-11-22')],
  ['the drafts were not read', (place) => (place.withDrafts = null)],
  ['the notes were not read', (place) => (place.inPersonal = null)],
  ['the keychain has its entry', ({ keychain }) => keychain.entries.set(gone, '{}')],
  ['the keychain is locked', ({ keychain }) => (keychain.state = 'locked')],
  ['the keychain is missing', ({ keychain }) => (keychain.state = 'missing')],
  ['the keychain is another one', ({ keychain }) => keychain.entries.clear()],
])('nothing is deleted if %s', async (_what, prepare) => {
  expect(await lost(prepare)).toEqual([])
})
