import { succeed } from '@contract'
import { lastFilterLimits, type LastFilters } from '@contract/app/personal'
import { noLastFilters } from '@contract/app/personal-values'
import { beforeEach, expect, it } from 'vitest'
import type { Personal } from '../../../../../../electron/main/stored/personal'
import {
  createLastFilters,
  type LastFiltersPart,
} from '../../../../../../electron/main/stored/personal/last-filters'
import { type Leads, bytesIn, environmentsLeading, openPersonalIn } from '../../../../../support/main/state'
import { temporaryFolder } from '../../../../../support/temporary-folder'

let folder: string
let leads: Map<string, Leads>
beforeEach(() => {
  folder = temporaryFolder()
  leads = new Map(['e', 'f'].map((id) => [id, { baseUrl: 'https://one.example', headers: {} }]))
})

interface Started extends LastFiltersPart {
  personal: Personal
  /** The service that an environment leads to now, as the page names it. */
  service: (id: string) => string
}

function start(timeoutMs?: number, personal = openPersonalIn(folder)): Started {
  const { environments, serviceOf } = environmentsLeading(leads)
  const part = createLastFilters({ personal, environments, ...(timeoutMs ? { timeoutMs } : {}) })
  return { ...part, personal, service: serviceOf }
}

const mine: LastFilters = {
  ...noLastFilters,
  name: 'billing',
  favourites: true,
  label: 'mine',
  searchesCache: true,
}

async function keep(filters: LastFilters, environmentId = 'e'): Promise<void> {
  const { save, personal, service } = start()
  expect(save({ environmentId, service: service(environmentId), filters })).toEqual(succeed(null))
  await personal.idle()
}

it('survive a restart, and nothing of them is readable in the file', async () => {
  await keep(mine)
  expect(await start().read('e')).toEqual(succeed(mine))
  expect(await start().read('f')).toEqual(succeed(null))
  expect(bytesIn(folder)).not.toMatch(/billing|mine|one\.example/)
})

it('are available at once to a window that is loaded again', async () => {
  const { save, read, service } = start()
  save({ environmentId: 'e', service: service('e'), filters: mine })
  expect(await read('e')).toEqual(succeed(mine))
})

it('belong to the service: another one behind the same environment gets none of them', async () => {
  await keep(mine)
  leads.set('e', { baseUrl: 'https://two.example', headers: {} })
  expect(await start().read('e')).toEqual(succeed(null))
  leads.set('e', { baseUrl: 'https://one.example', headers: { 'X-Tenant-Id': 'other' } })
  expect(await start().read('e')).toEqual(succeed(null))
  leads.set('e', { baseUrl: 'https://one.example', headers: { Authorization: 'renewed' } })
  expect(await start().read('e')).toEqual(succeed(mine))
})

it('of a list that an edit has replaced are not stored for the new service', async () => {
  const { save, read, service, personal } = start()
  const before = service('e')
  leads.set('e', { baseUrl: 'https://two.example', headers: {} })
  expect(save({ environmentId: 'e', service: before, filters: mine })).toMatchObject({
    ok: false,
    failure: { code: 'environment-changed' },
  })
  await personal.idle()
  expect(await read('e')).toEqual(succeed(null))
})

it('are removed with their environment, even those that wait to be written', async () => {
  await keep(mine)
  const { save, personal, service } = start()
  await personal.open()
  expect(personal.environments()).toEqual(['e'])
  save({ environmentId: 'e', service: service('e'), filters: { ...mine, name: 'late' } })
  leads.delete('e')
  await personal.forget('e')
  await personal.idle()
  expect(personal.environments()).toEqual([])
  leads.set('e', { baseUrl: 'https://one.example', headers: {} })
  expect(await start().read('e')).toEqual(succeed(null))
})

it('leave out a text that is too long', async () => {
  const long = 'x'.repeat(lastFilterLimits.textLength + 1)
  await keep({ ...mine, deploymentIds: long })
  expect(await start().read('e')).toEqual(succeed(mine))
})

it('that are cleared leave nothing behind', async () => {
  await keep(mine)
  await keep(noLastFilters)
  const { read, personal } = start()
  expect(await read('e')).toEqual(succeed(null))
  expect(personal.environments()).toEqual([])
})

it('are stored for the services that were used last', async () => {
  const ids = Array.from({ length: lastFilterLimits.services + 3 }, (_, index) => `e${index}`)
  for (const id of ids) leads.set(id, { baseUrl: 'https://one.example', headers: {} })
  const { save, service, personal } = start()
  for (const id of ids) save({ environmentId: id, service: service(id), filters: mine })
  await personal.idle()
  save({ environmentId: 'e3', service: service('e3'), filters: { ...mine, name: 'again' } })
  save({ environmentId: 'e0', service: service('e0'), filters: mine })
  await personal.idle()
  const remaining = personal.environments()!
  expect(remaining).toHaveLength(lastFilterLimits.services)
  expect(remaining).toEqual(expect.arrayContaining(['e0', 'e3', 'e52']))
  expect(remaining).not.toContain('e4')
})

it('are waited for no longer than a start may take', async () => {
  const silent = { ...openPersonalIn(folder), content: () => new Promise<never>(() => undefined) }
  expect(await start(20, silent).read('e')).toEqual(succeed(null))
})
