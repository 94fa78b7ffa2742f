import { type AnnotationChange, calls, fail, type Outcome, succeed } from '@contract'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Environments } from '../../../../../../electron/main/environments'
import { accountIdentity } from '../../../../../../electron/main/environments/model/service-identity'
import type { FileKeys } from '../../../../../../electron/main/processes/keychain/file-keys'
import { locked, noAnswer } from '../../../../../../electron/main/processes/keychain/failures'
import { createPersonal, type Personal } from '../../../../../../electron/main/stored/personal'
import {
  type Annotations,
  createAnnotations,
} from '../../../../../../electron/main/stored/personal/annotations'
import type { State } from '../../../../../../electron/main/stored/state'
import { bytesIn, stateIn, storedIn } from '../../../../../support/main/state'
import { temporaryFolder } from '../../../../../support/temporary-folder'

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

const serviceNow = (): string => accountIdentity({ environmentId: 'e', ...leads }, 'session')

type Started = Personal & Annotations & { state: State }

function start(keyFor: FileKeys['keyFor'] = () => Promise.resolve(key), timeoutMs = 1_000): Started {
  const state = stateIn(folder, { keyFor, timeLimits: { plain: timeoutMs, sealed: timeoutMs } })
  const personal = createPersonal({
    state,
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
    state: () => ({ environments: listed.map((id) => ({ id, service: serviceNow() })) }),
    ready: () => Promise.reject(new Error('The destination is known.')),
  } as unknown as Environments
  return { ...personal, ...createAnnotations(personal, environments), state }
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

it('a favourite, labels and a note survive a restart, and nothing of them is readable in the file', async () => {
  const first = start()
  expect(await first.save(change({ favourite: true }))).toMatchObject({ ok: true })
  expect(await first.save(change({ addLabel: ' mine ' }, { name: null }))).toMatchObject({ ok: true })
  expect(await first.save(change({ addLabel: 'mine' }, { name: null }))).toMatchObject({ ok: true })
  expect(await first.save(change({ note: 'Ask Ann.' }))).toEqual(succeed(annotation))
  expect(await start().list('e')).toEqual(succeed([annotation]))
  expect(bytesIn(folder)).not.toMatch(/Ask|agent|mine|one\.example/)
})

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

it('a change that was meant for the service from before an edit is refused', async () => {
  await keepOne()
  const meant = change({ note: 'Meant for the first.' })
  leads = { ...leads, baseUrl: 'https://two.example' }
  const personal = start()
  expect(await personal.save(meant)).toMatchObject({ ok: false, failure: { code: 'environment-changed' } })
  expect(await personal.list('e')).toEqual(succeed([]))
})

it('a change that waited while the key was renewed is saved', async () => {
  const meant = change({ note: 'Ask Ann.' })
  leads = { ...leads, headers: { ...leads.headers, 'X-Api-Key': 'new' } }
  const personal = start()
  expect(await personal.save(meant)).toMatchObject({ ok: true })
  expect(await personal.list('e')).toMatchObject({ value: [{ note: 'Ask Ann.' }] })
})

it('a change for a service that was shown is saved for it, even after an edit to another one', async () => {
  const personal = start()
  const first = leads
  await personal.list('e')
  const meant = change({ note: 'Of the first.' })
  leads = { ...leads, baseUrl: 'https://two.example' }
  expect(await personal.save(meant)).toMatchObject({ ok: true })
  expect(await personal.list('e')).toEqual(succeed([]))
  leads = first
  expect(await start().list('e')).toMatchObject({ value: [{ note: 'Of the first.' }] })
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

it('labels that are added and removed at once are all added and removed', async () => {
  const personal = start()
  const all = (...changes: AnnotationChange['change'][]): Promise<unknown> =>
    Promise.all(changes.map((one) => personal.save(change(one))))
  await all({ addLabel: 'one' }, { addLabel: 'two' }, { addLabel: 'three' })
  expect(await personal.list('e')).toMatchObject({ value: [{ labels: ['one', 'two', 'three'] }] })
  await all({ removeLabel: 'one' }, { addLabel: 'red' }, { removeLabel: 'two' }, { removeLabel: 'none' })
  expect(await start().list('e')).toMatchObject({ value: [{ labels: ['three', 'red'] }] })
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
  expect(personal.environments()).toEqual(['e', 'f'])
  await personal.save(change({ favourite: false, removeLabel: 'mine', note: '' }))
  expect(personal.environments()).toEqual(['f'])
  await personal.forget('f')
  expect(personal.environments()).toEqual([])
  const again = start()
  expect(again.environments()).toBeNull()
  await again.open()
  expect(again.environments()).toEqual([])
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
  expect(personal.environments()).toBeNull()
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

it('an identifier with half a character is refused', () => {
  expect(() => change({ favourite: true }, { deploymentId: '\ud800' })).toThrow()
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
