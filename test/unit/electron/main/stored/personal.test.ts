import { type AnnotationChange, type CallInput, calls, fail, type Outcome, succeed } from '@contract'
import { describe, beforeEach, expect, it, vi } from 'vitest'
import type { Environments } from '../../../../../electron/main/environments'
import { accountIdentity } from '../../../../../electron/main/environments/known'
import { type FileKeys, locked, noAnswer } from '../../../../../electron/main/processes/keychain'
import { createPersonal } from '../../../../../electron/main/stored/personal'
import { createAnnotations } from '../../../../../electron/main/stored/personal/annotations'
import {
  stateIn,
  storedIn,
  bytesIn,
  openPersonalIn,
  type Leads,
  environmentsLeading,
  environmentsWithData,
} from '../../../../support/main/state'
import { temporaryFolder } from '../../../../support/temporary-folder'
import {
  comparisonLimits,
  type IgnoredField,
  lastFilterLimits,
  type LastFilters,
  type RecentChoice,
  recentLimits,
} from '@contract/app/personal'
import { createRemembered } from '../../../../../electron/main/stored/personal/remembered'
import { noLastFilters } from '@contract/app/personal-values'

const { signal } = new AbortController()

describe('annotations', () => {
  let folder: string
  let key: Outcome<string>
  /** Where environment "e" leads: its base URL and its headers. */
  let leads: { baseUrl: string; headers: Record<string, string> }
  /** The environments that there are. */
  let listed: string[]
  const changed = vi.fn()

  beforeEach(() => {
    folder = temporaryFolder()
    key = succeed('ab'.repeat(32))
    leads = { baseUrl: 'https://one.example', headers: { 'X-Api-Key': 'k', 'X-Tenant-Id': 't' } }
    listed = ['e', 'f']
    changed.mockReset()
  })

  const serviceNow = (): string => accountIdentity({ environmentId: 'e', ...leads })

  function start(keyFor: FileKeys['keyFor'] = () => Promise.resolve(key), timeoutMs = 1_000) {
    const state = stateIn(folder, { keyFor, timeLimits: { plain: timeoutMs, sealed: timeoutMs } })
    const personal = createPersonal({
      state,
      exists: (id) => listed.includes(id),
      mayAsk: () => true,
      changed,
      report: () => undefined,
    })
    const environments = {
      destination: (id: string) => ({
        id,
        name: id,
        target: { environmentId: id, ...leads },
        service: serviceNow(),
      }),
      ready: () => Promise.reject(new Error('The destination is known.')),
    } as unknown as Environments
    const answers = createAnnotations(personal, environments)
    return {
      ...personal,
      list: (environmentId: string) => answers['annotations.list']({ environmentId }, signal),
      save: (input: AnnotationChange) => answers['annotations.save'](input, signal),
      state,
    }
  }

  /** A change of deployment "d" in environment "e", as the call parses it. */
  const change = (of: AnnotationChange['change'], more: Partial<AnnotationChange> = {}): AnnotationChange =>
    calls['annotations.save'].input.parse({
      environmentId: 'e',
      service: serviceNow(),
      deploymentId: 'd',
      name: 'agent',
      change: of,
      ...more,
    })

  const annotation = { deploymentId: 'd', name: 'agent', favourite: true, labels: ['mine'], note: 'Ask Ann.' }

  async function keepOne(): Promise<void> {
    await start().save(change({ favourite: true, addLabel: 'mine', note: 'Ask Ann.' }))
  }

  it('another service behind an environment gets no annotations, and the first one has all of them again', async () => {
    await keepOne()
    leads = { ...leads, baseUrl: 'https://two.example' }
    const personal = start()
    expect(await personal.list('e')).toEqual(succeed([]))
    await personal.save(change({ note: 'Of the second.' }))
    leads = { baseUrl: 'https://one.example', headers: { 'X-Tenant-Id': 'other' } }
    expect(await personal.list('e')).toEqual(succeed([]))
    // Credentials may be renewed, and case doesn't matter in a tenant's UUID.
    leads = { baseUrl: 'https://one.example', headers: { 'x-tenant-id': 'T', Authorization: 'new' } }
    expect(await start().list('e')).toEqual(succeed([annotation]))
    expect(await start().list('f')).toEqual(succeed([]))
  })

  it('a change that was meant for the service from before an edit is kept for that one', async () => {
    await keepOne()
    const meant = change({ note: 'Meant for the first.' })
    leads = { ...leads, baseUrl: 'https://two.example' }
    const personal = start()
    expect(await personal.save(meant)).toMatchObject({ ok: true })
    expect(await personal.list('e')).toEqual(succeed([]))
    leads = { ...leads, baseUrl: 'https://one.example' }
    expect(await personal.list('e')).toMatchObject({ value: [{ note: 'Meant for the first.' }] })
  })

  it('a change that waited while the key was renewed is saved', async () => {
    const meant = change({ note: 'Ask Ann.' })
    leads = { ...leads, headers: { ...leads.headers, 'X-Api-Key': 'new' } }
    const personal = start()
    expect(await personal.save(meant)).toMatchObject({ ok: true })
    expect(await personal.list('e')).toMatchObject({ value: [{ note: 'Ask Ann.' }] })
  })

  it('changes that wait for the disk while the environment is edited are stored for the service they name', async () => {
    const personal = start()
    const first = leads
    const second = { ...leads, baseUrl: 'https://two.example' }
    const save = (note: string, deploymentId: string): Promise<Outcome<unknown>> =>
      personal.save(change({ note }, { deploymentId }))
    leads = second
    await personal.list('e')
    const named = serviceNow()
    leads = first
    // Named early, requested while the environment still leads to the first, and written once it leads to the second.
    const waiting = [
      save('Of the first.', 'one'),
      personal.save(change({ note: 'Of the second.' }, { deploymentId: 'two', service: named })),
    ]
    leads = second
    waiting.push(save('Of the second.', 'three'))
    await Promise.all(waiting)
    const notesOf = async (led: typeof leads): Promise<string[]> => {
      leads = led
      const listed = await personal.list('e')
      return listed.ok ? listed.value.map(({ note, deploymentId }) => `${deploymentId}: ${note}`) : []
    }
    expect(await notesOf(first)).toEqual(['one: Of the first.'])
    expect((await notesOf(second)).sort()).toEqual(['three: Of the second.', 'two: Of the second.'])
  })

  it('a change of an environment that is gone is refused', async () => {
    const personal = start()
    await personal.save(change({ note: 'Kept.' }))
    listed = ['f']
    expect(await personal.save(change({ note: 'Late.' }))).toMatchObject({
      ok: false,
      failure: { code: 'environment-changed' },
    })
  })

  it('one label too many is refused, and the others stay', async () => {
    const personal = start()
    const labels = Array.from({ length: 20 }, (_, index) => `label ${index}`)
    for (const label of labels) await personal.save(change({ addLabel: label }))
    expect(await personal.save(change({ addLabel: 'more' }))).toMatchObject({
      ok: false,
      failure: { code: 'invalid-input', message: 'Use at most 20 labels.' },
    })
    expect(await personal.save(change({ addLabel: 'label 3' }))).toMatchObject({ ok: true })
    expect(await personal.list('e')).toMatchObject({ value: [{ labels }] })
  })

  it('what is emptied is forgotten, and so is what belongs to a removed environment', async () => {
    await keepOne()
    const personal = start()
    await personal.save(change({ favourite: true }, { environmentId: 'f' }))
    expect(await environmentsWithData(personal)).toEqual(['e', 'f'])
    await personal.save(change({ favourite: false, removeLabel: 'mine', note: '' }))
    expect(await environmentsWithData(personal)).toEqual(['f'])
    await personal.forget('f')
    expect(await environmentsWithData(personal)).toEqual([])
    expect(await environmentsWithData(start())).toEqual([])
  })

  it.each<[string, () => void]>([
    ['locked', () => (key = fail(locked()))],
    ['silent', () => (key = null as never)],
  ])('with a %s keychain nothing is written or shown as stored until it is open', async (_how, close) => {
    await keepOne()
    const before = storedIn(folder, 'personal')
    close()
    let answer = (_key: Outcome<string>): void => undefined
    const later = new Promise<Outcome<string>>((resolve) => (answer = resolve))
    const personal = start(() => (key === null ? later : Promise.resolve(key)), 5)
    const code = key === null ? noAnswer(5).code : locked().code
    expect(await personal.list('e')).toMatchObject({ ok: false, failure: { code } })
    expect(await personal.save(change({ note: 'Lost?' }))).toMatchObject({ ok: false, failure: { code } })
    expect(storedIn(folder, 'personal')).toEqual(before)

    key = succeed('ab'.repeat(32))
    answer(key)
    await personal.state.unlock(false)
    await personal.open()
    expect(await personal.list('e')).toEqual(succeed([annotation]))
  })

  it('labels that look the same are one, however their characters are composed', async () => {
    const personal = start()
    for (const addLabel of ['\u00e9', 'e\u0301', 'E\u0301']) await personal.save(change({ addLabel }))
    expect(await personal.list('e')).toMatchObject({ value: [{ labels: ['\u00e9', '\u00c9'] }] })
  })

  it('a name with half a character is stored without it', async () => {
    expect(await start().save(change({ favourite: true }, { name: 'agent \ud800' }))).toMatchObject({
      value: { name: 'agent \ufffd' },
    })
  })

  it.each<[string, AnnotationChange['change']]>([
    ['a label that draws nothing', { addLabel: '\u202e' }],
    ['a label that turns text around', { addLabel: 'a\u202eb' }],
    ['a label that is too long', { addLabel: 'x'.repeat(41) }],
    ['a note that is too long', { note: 'x'.repeat(10_001) }],
    ['half a character', { note: '\ud800' }],
    ['half a character in a label', { addLabel: '\ud800' }],
  ])('%s is refused', (_what, of) => {
    expect(() => change(of)).toThrow()
  })
})

describe('ignored fields', () => {
  let folder: string
  beforeEach(() => {
    folder = temporaryFolder()
  })

  const start = () => {
    const answers = createRemembered(openPersonalIn(folder), environmentsLeading(new Map()).environments)
    return {
      list: () => answers['comparison.ignored']({}, signal),
      set: (of: IgnoredField, isIgnored: boolean) =>
        answers['comparison.ignore']({ field: of, isIgnored }, signal),
    }
  }
  const field = (key: string) => ({ key, label: `Label of ${key}` })

  it('survive a restart, each once, in an encrypted file', async () => {
    const first = start()
    for (const key of ['name', 'secrets["KEY"]', 'name']) await first.set(field(key), true)
    const fields = [field('secrets["KEY"]'), field('name')]
    expect(await start().list()).toEqual(succeed(fields))
    expect(bytesIn(folder)).not.toContain('KEY')
    expect(await start().set(field('name'), false)).toEqual(succeed([fields[0]]))
    expect(await start().list()).toEqual(succeed([fields[0]]))
  })

  it('are limited in number', async () => {
    const ignored = start()
    for (let index = 0; index < comparisonLimits.ignored; index += 1)
      await ignored.set(field(`f${index}`), true)
    expect(await ignored.set(field('more'), true)).toMatchObject({
      ok: false,
      failure: { code: 'invalid-input' },
    })
    expect((await ignored.list()).ok).toBe(true)
  })
})

describe('the last filters', () => {
  let folder: string
  let leads: Map<string, Leads>
  beforeEach(() => {
    folder = temporaryFolder()
    leads = new Map(['e', 'f'].map((id) => [id, { baseUrl: 'https://one.example', headers: {} }]))
  })

  function start(personal = openPersonalIn(folder, (id) => leads.has(id))) {
    const { environments, serviceOf } = environmentsLeading(leads)
    const answers = createRemembered(personal, environments)
    return {
      read: (environmentId: string) => answers['lastFilters.read']({ environmentId }, signal),
      save: (input: CallInput<'lastFilters.save'>) => answers['lastFilters.save'](input, signal),
      personal,
      service: serviceOf,
    }
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
    expect(await save({ environmentId, service: service(environmentId), filters })).toEqual(succeed(null))
    await personal.idle()
  }

  it('are available at once to a window that is loaded again', async () => {
    const { save, read, service } = start()
    await save({ environmentId: 'e', service: service('e'), filters: mine })
    expect(await read('e')).toEqual(succeed(mine))
  })

  it('of a list that an edit has replaced are not stored for the new service', async () => {
    const { save, read, service, personal } = start()
    const before = service('e')
    leads.set('e', { baseUrl: 'https://two.example', headers: {} })
    expect(await save({ environmentId: 'e', service: before, filters: mine })).toMatchObject({
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
    expect(await environmentsWithData(personal)).toEqual(['e'])
    await save({ environmentId: 'e', service: service('e'), filters: { ...mine, name: 'late' } })
    leads.delete('e')
    await personal.forget('e')
    await personal.idle()
    expect(await environmentsWithData(personal)).toEqual([])
    leads.set('e', { baseUrl: 'https://one.example', headers: {} })
    expect(await start().read('e')).toEqual(succeed(null))
  })

  it('that are cleared leave nothing behind', async () => {
    await keep(mine)
    await keep(noLastFilters)
    const { read, personal } = start()
    expect(await read('e')).toEqual(succeed(null))
    expect(await environmentsWithData(personal)).toEqual([])
  })

  it('are stored for the services that were used last', async () => {
    const ids = Array.from({ length: lastFilterLimits.services + 3 }, (_, index) => `e${index}`)
    for (const id of ids) leads.set(id, { baseUrl: 'https://one.example', headers: {} })
    const { save, service, personal } = start()
    for (const id of ids) await save({ environmentId: id, service: service(id), filters: mine })
    await personal.idle()
    await save({ environmentId: 'e3', service: service('e3'), filters: { ...mine, name: 'again' } })
    await save({ environmentId: 'e0', service: service('e0'), filters: mine })
    await personal.idle()
    const remaining = await environmentsWithData(personal)
    expect(remaining).toHaveLength(lastFilterLimits.services)
    expect(remaining).toEqual(expect.arrayContaining(['e0', 'e3', 'e52']))
    expect(remaining).not.toContain('e4')
  })

  it('are waited for no longer than a start may take', async () => {
    const silent = { ...openPersonalIn(folder), content: () => new Promise<never>(() => undefined) }
    expect(await start(silent).read('e')).toEqual(succeed(null))
  })
})

describe('recent choices', () => {
  let folder: string
  let leads: Map<string, Leads>
  beforeEach(() => {
    folder = temporaryFolder()
    leads = new Map(['e', 'f'].map((id) => [id, { baseUrl: 'https://one.example', headers: {} }]))
  })

  function start() {
    const { environments, serviceOf } = environmentsLeading(leads)
    const personal = openPersonalIn(folder, (id) => leads.has(id))
    const answers = createRemembered(personal, environments)
    const add = (input: CallInput<'recents.add'>) => answers['recents.add'](input, signal)
    const choose = (choice: RecentChoice, environmentId = 'e') =>
      add({ environmentId, service: serviceOf(environmentId), choice })
    return {
      list: (environmentId: string) => answers['recents.list']({ environmentId }, signal),
      add,
      personal,
      choose,
    }
  }

  const command = (id: string): RecentChoice => ({ kind: 'command', id })
  const deployment = (id: string): RecentChoice => ({ kind: 'deployment', id })
  const environment = (id: string): RecentChoice => ({ kind: 'environment', id })

  it('survive a restart, the latest first and each once', async () => {
    const first = start()
    for (const choice of [command('find'), deployment('d-1'), environment('f'), command('find')])
      await first.choose(choice)
    await first.personal.idle()
    expect(await start().list('e')).toEqual(succeed([command('find'), environment('f'), deployment('d-1')]))
    expect(bytesIn(folder)).not.toMatch(/find|d-1/)
  })

  it('have only deployments of the service that the environment leads to', async () => {
    const first = start()
    await first.choose(deployment('d-1'))
    await first.choose(deployment('d-1'), 'f')
    await first.choose(command('find'))
    await first.personal.idle()
    leads.set('e', { baseUrl: 'https://two.example', headers: {} })
    expect(await start().list('e')).toEqual(succeed([command('find')]))
    expect(await start().list('f')).toEqual(succeed([command('find'), deployment('d-1')]))
    const second = start()
    expect(
      await second.add({ environmentId: 'e', service: 'of before the edit', choice: deployment('d-2') }),
    ).toMatchObject({ ok: false, failure: { code: 'environment-changed' } })
  })

  it('are removed with their environment, and name none that is gone', async () => {
    const { choose, personal, list } = start()
    for (const choice of [environment('f'), deployment('d-1')]) await choose(choice)
    await choose(deployment('d-2'), 'f')
    await personal.idle()
    expect(new Set(await environmentsWithData(personal))).toEqual(new Set(['e', 'f']))
    await choose(environment('f'))
    leads.delete('f')
    expect(await list('e')).toEqual(succeed([deployment('d-1')]))
    await personal.forget('f')
    await personal.idle()
    expect(await environmentsWithData(personal)).toEqual(['e'])
  })

  it('are limited in number: the earliest are dropped', async () => {
    const { choose, personal, list } = start()
    for (let number = 0; number < recentLimits.count + 5; number += 1) await choose(deployment(`d-${number}`))
    await personal.idle()
    const listed = await list('e')
    expect(listed.ok && listed.value.map(({ id }) => id)).toEqual(
      Array.from({ length: recentLimits.count }, (_, index) => `d-${recentLimits.count + 4 - index}`),
    )
  })
})
