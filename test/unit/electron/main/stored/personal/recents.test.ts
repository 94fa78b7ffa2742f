import { type Outcome, succeed } from '@contract'
import { type RecentChoice, recentLimits } from '@contract/app/personal'
import { beforeEach, expect, it } from 'vitest'
import type { Personal } from '../../../../../../electron/main/stored/personal'
import { createRecents, type Recents } from '../../../../../../electron/main/stored/personal/recents'
import { type Leads, bytesIn, environmentsLeading, openPersonalIn } from '../../../../../support/main/state'
import { temporaryFolder } from '../../../../../support/temporary-folder'

let folder: string
let leads: Map<string, Leads>
beforeEach(() => {
  folder = temporaryFolder()
  leads = new Map(['e', 'f'].map((id) => [id, { baseUrl: 'https://one.example', headers: {} }]))
})

interface Started extends Recents {
  personal: Personal
  choose: (choice: RecentChoice, environmentId?: string) => Outcome<null>
}

function start(): Started {
  const { environments, serviceOf } = environmentsLeading(leads)
  const personal = openPersonalIn(folder)
  const recents = createRecents(personal, environments)
  const choose: Started['choose'] = (choice, environmentId = 'e') =>
    recents.add({ environmentId, service: serviceOf(environmentId), choice })
  return { ...recents, personal, choose }
}

const command = (id: string): RecentChoice => ({ kind: 'command', id })
const deployment = (id: string): RecentChoice => ({ kind: 'deployment', id })
const environment = (id: string): RecentChoice => ({ kind: 'environment', id })

it('survive a restart, the latest first and each once', async () => {
  const first = start()
  for (const choice of [command('find'), deployment('d-1'), environment('f'), command('find')])
    first.choose(choice)
  await first.personal.idle()
  expect(await start().list('e')).toEqual(succeed([command('find'), environment('f'), deployment('d-1')]))
  expect(bytesIn(folder)).not.toMatch(/find|d-1/)
})

it('have only deployments of the service that the environment leads to', async () => {
  const first = start()
  first.choose(deployment('d-1'))
  first.choose(deployment('d-1'), 'f')
  first.choose(command('find'))
  await first.personal.idle()
  leads.set('e', { baseUrl: 'https://two.example', headers: {} })
  expect(await start().list('e')).toEqual(succeed([command('find')]))
  expect(await start().list('f')).toEqual(succeed([command('find'), deployment('d-1')]))
  const second = start()
  expect(
    second.add({ environmentId: 'e', service: 'of before the edit', choice: deployment('d-2') }),
  ).toMatchObject({ ok: false, failure: { code: 'environment-changed' } })
})

it('are removed with their environment, and name none that is gone', async () => {
  const { choose, personal, list } = start()
  for (const choice of [environment('f'), deployment('d-1')]) choose(choice)
  choose(deployment('d-2'), 'f')
  await personal.idle()
  expect(new Set(personal.environments())).toEqual(new Set(['e', 'f']))
  choose(environment('f'))
  leads.delete('f')
  expect(await list('e')).toEqual(succeed([deployment('d-1')]))
  await personal.forget('f')
  await personal.idle()
  expect(personal.environments()).toEqual(['e'])
})

it('are limited in number: the earliest are dropped', async () => {
  const { choose, personal, list } = start()
  for (let number = 0; number < recentLimits.count + 5; number += 1) choose(deployment(`d-${number}`))
  await personal.idle()
  const listed = await list('e')
  expect(listed.ok && listed.value.map(({ id }) => id)).toEqual(
    Array.from({ length: recentLimits.count }, (_, index) => `d-${recentLimits.count + 4 - index}`),
  )
})
