import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AnnotationChange, calls, fail, type Outcome, succeed } from '@contract'
import { personalFileSchema } from '@contract/ipc/personal-file'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Environments } from '../../../../../../electron/main/environments'
import {
  accountIdentity,
  serviceIdentity,
} from '../../../../../../electron/main/environments/model/service-identity'
import { type Files, nodeFiles } from '../../../../../../electron/main/files'
import { encrypt } from '../../../../../../electron/main/files/encryption'
import { encryptedFile } from '../../../../../../electron/main/files/encrypted-file'
import type { FileKeys } from '../../../../../../electron/main/processes/keychain/file-keys'
import { locked, noAnswer } from '../../../../../../electron/main/processes/keychain/failures'
import { createPersonal, type Personal } from '../../../../../../electron/main/stored/personal'
import {
  type Annotations,
  createAnnotations,
} from '../../../../../../electron/main/stored/personal/annotations'
import { temporaryFolder } from '../../../../../support/temporary-folder'

let folder: string
let key: Outcome<string>
/** Where environment "e" leads: its base URL and its headers. */
let leads: { baseUrl: string; headers: Record<string, string> }
/** The environments that there are. */
let listed: string[]
let notices: (string | null)[]
let regained: string[]
const changed = vi.fn()

beforeEach(() => {
  folder = temporaryFolder()
  key = succeed('ab'.repeat(32))
  leads = { baseUrl: 'https://one.example', headers: { 'X-Api-Key': 'k', 'X-Tenant-Id': 't' } }
  listed = ['e', 'f']
  notices = []
  regained = []
  changed.mockReset()
})

const path = (name = 'personal.sealed'): string => join(folder, name)
const serviceNow = (): string => accountIdentity({ environmentId: 'e', ...leads }, 'session')

function start(
  keyFor: FileKeys['keyFor'] = () => Promise.resolve(key),
  timeoutMs = 1_000,
  file = encryptedFile(path()),
): Personal & Annotations {
  const personal = createPersonal({
    file,
    keys: { keyFor },
    changed,
    notice: (text) => notices.push(text),
    regained: (name) => regained.push(name),
    report: () => undefined,
    timeoutMs,
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
  return { ...personal, ...createAnnotations(personal, environments) }
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
  expect(await readdir(folder)).toEqual(['personal.sealed'])
  expect((await readFile(path())).toString('latin1')).not.toMatch(/Ask|agent|mine|one\.example/)
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
  const before = await readFile(path())
  close()
  let answer = (_key: Outcome<string>): void => undefined
  const later = new Promise<Outcome<string>>((resolve) => (answer = resolve))
  const personal = start(() => (key === null ? later : Promise.resolve(key)), 5)
  const code = key === null ? noAnswer(5).code : locked().code
  expect(await personal.list('e')).toMatchObject({ ok: false, failure: { code } })
  expect(await personal.save(change({ note: 'Lost?' }))).toMatchObject({ ok: false, failure: { code } })
  expect(personal.environments()).toBeNull()
  expect(await readFile(path())).toEqual(before)

  key = succeed('ab'.repeat(32))
  answer(key)
  await personal.open()
  expect(await personal.list('e')).toEqual(succeed([annotation]))
})

it('a start without a file asks the keychain for nothing', async () => {
  const keyFor = vi.fn(() => Promise.resolve(key))
  const personal = start(keyFor)
  await personal.open()
  expect(await personal.list('e')).toEqual(succeed([]))
  expect(keyFor).not.toHaveBeenCalled()
})

it('a damaged file is set aside and named, and one whose key is back is restored', async () => {
  await keepOne()
  const first = key
  key = succeed('cd'.repeat(32))
  const personal = start()
  await personal.open()
  const [aside] = (await readdir(folder)).filter((name) => name.includes('unreadable'))
  expect(notices.at(-1)).toContain(aside)
  await personal.save(change({ note: 'After.' }, { deploymentId: 'other' }))
  expect(await readdir(folder)).toHaveLength(2)

  // The keychain was restored: its own file is now the unreadable one.
  key = first
  const restored = start()
  await restored.open()
  expect(await restored.list('e')).toEqual(succeed([annotation]))
  expect(regained).toEqual([aside])
})

it('a damaged file is distinguished from one whose key is gone', async () => {
  await keepOne()
  const whole = await readFile(path())
  const setAside = (): Promise<string> =>
    readdir(folder).then((names) => names.find((name) => name.includes('unreadable')) ?? '')
  const flipped = Buffer.from(whole)
  flipped[60]! ^= 1
  for (const damaged of [whole.subarray(0, 40), flipped]) {
    await writeFile(path(), damaged)
    await start().open()
    expect(notices.at(-1)).toContain(`kept as ${await setAside()} beside the others`)
    expect(notices.at(-1)).toContain('is damaged')
    expect(notices.at(-1)).toContain('a backup')
    expect(notices.at(-1)).not.toContain('once the keychain has its key')
    await rm(path(await setAside()))
  }

  await writeFile(path(), whole)
  await start((_account, request) => {
    request.created?.()
    return Promise.resolve(succeed('cd'.repeat(32)))
  }).open()
  expect(notices.at(-1)).toContain(`kept as ${await setAside()} beside the others`)
  expect(notices.at(-1)).toContain("the keychain doesn't have their key any more")
  expect(notices.at(-1)).toContain('once the keychain has its key')
})

it('a file of a newer version is left alone, and the notice says so', async () => {
  const text = JSON.stringify({ version: 2, services: 'anything' })
  await writeFile(path(), encrypt(text, 'ab'.repeat(32), 'personal.sealed'))
  const before = await readFile(path())
  const personal = start()
  expect(await personal.save(change({ note: 'No.' }))).toMatchObject({
    ok: false,
    failure: { code: 'internal' },
  })
  expect(notices.at(-1)).toContain('newer version')
  expect(await readFile(path())).toEqual(before)
  expect(await readdir(folder)).toEqual(['personal.sealed'])
})

it('a file has room for what is written without a pause; a larger earlier one is read and shortened', async () => {
  const target = { environmentId: 'e', ...leads }
  const service = { environmentId: 'e', salt: 's', service: serviceIdentity(target, 's') }
  const annotations = Array.from({ length: 450 }, (_, index) => ({
    ...annotation,
    deploymentId: `d${index}`,
    note: 'n'.repeat(10_000),
  }))
  const text = JSON.stringify({ version: 1, services: [{ ...service, annotations }] })
  await writeFile(path(), encrypt(text, 'ab'.repeat(32), 'personal.sealed'))
  const personal = start()
  expect(await personal.list('e')).toMatchObject({ value: { length: 450 } })
  const more = await personal.save(change({ note: 'One more.' }, { deploymentId: 'more' }))
  expect(more).toMatchObject({ ok: false, failure: { code: 'invalid-input' } })
  expect(await personal.save(change({ note: '' }, { deploymentId: 'd0' }))).toMatchObject({ ok: true })
})

it('a change that the disk refuses is reported, and not made', async () => {
  await keepOne()
  const personal = start()
  await personal.open()
  await rm(folder, { recursive: true })
  expect(await personal.save(change({ note: 'Lost?' }))).toMatchObject({
    ok: false,
    failure: { code: 'internal', message: expect.stringContaining("wasn't saved") as string },
  })
  expect(await personal.list('e')).toEqual(succeed([annotation]))
})

it('a file that the disk does not return is left alone', async () => {
  await keepOne()
  const before = await readFile(path())
  const refused = Object.assign(new Error('No.'), { code: 'EACCES' })
  const file = { ...encryptedFile(path()), read: () => Promise.reject(refused) }
  const personal = start(undefined, undefined, file)
  const unreadable = { code: 'internal', message: expect.stringContaining('EACCES') as string }
  expect(await personal.list('e')).toMatchObject({ ok: false, failure: unreadable })
  expect(await personal.save(change({ note: 'No.' }))).toMatchObject({ ok: false, failure: unreadable })
  expect(await readFile(path())).toEqual(before)
})

it('a folder that cannot be read is reported, and tried again', async () => {
  await keepOne()
  const refused = Object.assign(new Error('No.'), { code: 'EACCES' })
  const isRefused = { size: true, list: true, read: true }
  const unless = <T>(what: keyof typeof isRefused, act: () => T): T => {
    if (isRefused[what]) throw refused
    return act()
  }
  const files: Files = {
    ...nodeFiles,
    list: async (place) => unless('list', () => nodeFiles.list(place)),
    read: async (place) => unless('read', () => nodeFiles.read(place)),
    now: { ...nodeFiles.now, size: (place) => unless('size', () => nodeFiles.now.size(place)) },
  }
  const personal = start(undefined, undefined, encryptedFile(path(), files))
  await personal.open()
  const unreadable = { code: 'internal', message: expect.stringContaining('EACCES') as string }
  expect(await personal.list('e')).toMatchObject({ ok: false, failure: unreadable })
  expect(notices.at(-1)).toContain('EACCES')
  expect(personal.environments()).toBeNull()
  isRefused.size = isRefused.read = false
  expect(await personal.list('e')).toEqual(succeed([annotation]))
  expect(notices.at(-1)).toBeNull()

  await rm(path())
  const without = start(undefined, undefined, encryptedFile(path(), files))
  await without.open()
  expect(await without.list('e'), 'only what was set aside is unknown').toEqual(succeed([]))
})

it('labels that look the same are one, however their characters are composed', async () => {
  const personal = start()
  for (const addLabel of ['\u00e9', 'e\u0301', 'E\u0301']) await personal.save(change({ addLabel }))
  expect(await personal.list('e')).toMatchObject({ value: [{ labels: ['\u00e9', '\u00c9'] }] })
})

it('labels of earlier versions read as what can be entered now, and stay so', async () => {
  const long = '\u0958'.repeat(40)
  const labels = ['\u00e9', 'e\u0301', 'half \ud800', long, 'e\u0301\u200da', 'plain']
  const read = ['\u00e9', 'half \ufffd', long, 'e\u0301\u200da', 'plain']
  const content = personalFileSchema.parse({
    version: 1,
    services: [
      {
        environmentId: 'e',
        salt: 's',
        service: 's',
        annotations: [{ ...annotation, name: 'a\ud800', labels }],
      },
    ],
  })
  expect(content.services[0]?.annotations).toEqual([{ ...annotation, name: 'a\ud800', labels: read }])
  expect(personalFileSchema.parse(content)).toEqual(content)
  expect(read.map((removeLabel) => change({ removeLabel }).change.removeLabel)).toEqual(read)
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
