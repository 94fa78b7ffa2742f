import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CreateRequest,
  draftLimits,
  type DraftsKeeping,
  type DraftTemplate,
  fail,
  failure,
  isKeptValue,
  type KeptDraft,
  type Outcome,
  succeed,
} from '@contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDrafts, type Drafts } from '../../../../../electron/main/drafts'
import { createLastWords } from '../../../../../electron/main/drafts/last-words'
import type { KeyWish } from '../../../../../electron/main/keychain/file-keys'
import { sealedFile } from '../../../../../electron/main/sealed'

const secret = 'correct-horse-battery'
const ids = [1, 2, 3].map((number) => `00000000-0000-4000-8000-00000000000${number}`)

const draft = (id: string, name: string, value = ''): KeptDraft => ({
  id,
  content: {
    entered: { name, source: 'repohost', secrets: [{ name: 'KEY', value }] },
    alsoSent: ['image_uri'],
  },
  notes: null,
  sentAt: null,
})

const request = (value: string): CreateRequest => ({
  name: 'agent',
  source: 'repohost',
  source_config: {},
  source_revision_config: {},
  secrets: [{ name: 'KEY', value }],
})

let folder: string
let key: Outcome<string>
let wishes: KeyWish[]
let said: DraftsKeeping[]
const report = vi.fn()

/** The drafts as a start of the application has them; they are written when a test says so. */
function start(pauseMs = 600_000, file = sealedFile(join(folder, 'drafts.sealed'))): Drafts {
  return createDrafts({
    file,
    keys: {
      keyFor: (_account, wish) => {
        wishes.push(wish)
        return Promise.resolve(key)
      },
      forget: () => Promise.resolve(),
    },
    changed: (keeping) => said.push(keeping),
    report,
    pauseMs,
  })
}

const names = async (drafts: Drafts, environmentId = 'a'): Promise<string[]> =>
  (await drafts.list(environmentId)).drafts.map(({ content }) => content.entered.name)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-drafts-'))
  key = succeed('ab'.repeat(32))
  wishes = []
  said = []
  report.mockReset()
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

describe('drafts', () => {
  it('are there after a restart, each with its environment, with marks in the place of secret values', async () => {
    const first = start()
    first.save('a', draft(ids[0]!, 'one', secret), true)
    first.save('b', draft(ids[1]!, 'two'), true)
    await first.flush()

    const again = start()
    const listed = await again.list('a')
    expect(JSON.stringify(listed)).not.toContain(secret)
    expect(listed).toMatchObject({ currentId: ids[0], keeping: { kept: 'disk', message: null } })
    expect(listed.drafts).toHaveLength(1)
    const { content } = listed.drafts[0]!
    expect(content).toMatchObject({ entered: { name: 'one', source: 'repohost' }, alsoSent: ['image_uri'] })
    const mark = content.entered.secrets[0]!.value
    expect(isKeptValue(mark)).toBe(true)
    expect(again.fillIn(request(mark))).toEqual(succeed(request(secret)))
    expect(await names(again, 'b')).toEqual(['two'])
    const file = await readFile(join(folder, 'drafts.sealed'), 'latin1')
    expect(file).not.toContain(secret)
    expect(file).not.toContain('one')
    expect(await readdir(folder)).toEqual(['drafts.sealed'])
  })

  it('keep a value that comes back as its mark, also in another environment and after the first is gone', async () => {
    const first = start()
    first.save('a', draft(ids[0]!, 'one', secret), true)
    await first.flush()
    const second = start()
    const mark = (await second.list('a')).drafts[0]!.content.entered.secrets[0]!.value
    second.save('a', draft(ids[0]!, 'renamed', mark), true)
    second.save('b', draft(ids[1]!, 'copy', mark), true)
    second.remove('a', ids[0]!)
    await second.flush()

    const third = start()
    expect(await names(third)).toEqual([])
    const copied = (await third.list('b')).drafts[0]!.content.entered.secrets[0]!.value
    expect(third.fillIn(request(copied))).toEqual(succeed(request(secret)))
  })

  it('forget the values of secrets with the last draft that has them', async () => {
    const first = start()
    first.save('a', draft(ids[0]!, 'one', secret), true)
    await first.flush()
    const again = start()
    const mark = (await again.list('a')).drafts[0]!.content.entered.secrets[0]!.value
    again.remove('a', ids[0]!)
    expect(again.fillIn(request(mark))).toMatchObject({
      ok: false,
      failure: { code: 'invalid-input', issues: [{ path: ['secrets', 0, 'value'] }] },
    })
  })

  it('are written soon after a change, without being asked to', async () => {
    start(1).save('a', draft(ids[0]!, 'one'), true)
    await expect.poll(() => readdir(folder), { timeout: 10_000 }).toEqual(['drafts.sealed'])
  })

  it('ask for no key before there is something to keep', async () => {
    const drafts = start()
    await drafts.open()
    await drafts.list('a')
    expect(wishes).toEqual([])
  })

  it('go with their environment, also when it is removed before they can be read', async () => {
    const first = start()
    first.save('a', draft(ids[0]!, 'one'), true)
    first.save('b', draft(ids[1]!, 'two'), true)
    await first.flush()
    const unlocked = key
    key = fail(failure('keychain-locked', 'The keychain is locked.'))
    const locked = start()
    await locked.list('a')
    locked.forget('a')
    key = unlocked
    await locked.retry(true)
    const again = start()
    expect(await names(again)).toEqual([])
    expect(await names(again, 'b')).toEqual(['two'])
  })
})

describe('templates', () => {
  it('are kept per environment without values of secrets', async () => {
    const first = start()
    const { content } = draft(ids[0]!, '', secret)
    first.saveTemplate('a', { id: ids[0]!, name: 'Agents', content })
    first.saveTemplate('a', { id: ids[1]!, name: 'Other', content })
    first.saveTemplate('a', { id: ids[0]!, name: 'Renamed', content })
    first.removeTemplate('a', ids[1]!)
    await first.flush()
    const { templates } = await start().list('a')
    expect(templates).toMatchObject([
      { name: 'Renamed', content: { entered: { secrets: [{ name: 'KEY', value: '' }] } } },
    ])
  })
})

describe('without a keychain', () => {
  it('nothing is written, and it is said that drafts are kept for the session only', async () => {
    key = fail(failure('keychain-missing', 'This system has no keychain.'))
    const drafts = start()
    drafts.save('a', draft(ids[0]!, 'one', secret), true)
    await drafts.flush()
    expect(await names(drafts)).toEqual(['one'])
    expect(said.at(-1)).toMatchObject({ kept: 'session' })
    expect(said.at(-1)?.message).toContain('only until Slipway is closed')
    expect(await readdir(folder)).toEqual([])
  })

  it('what was entered while it was locked joins what was kept before, and nothing is written over', async () => {
    const first = start()
    first.save('a', draft(ids[0]!, 'before', secret), true)
    await first.flush()
    const before = await readFile(join(folder, 'drafts.sealed'))

    const unlocked = key
    key = fail(failure('keychain-locked', 'The keychain is locked.'))
    const drafts = start()
    expect(await names(drafts)).toEqual([])
    drafts.save('a', draft(ids[1]!, 'meanwhile'), true)
    await drafts.flush()
    expect(said.at(-1)).toMatchObject({ kept: 'waiting' })
    expect(await readFile(join(folder, 'drafts.sealed'))).toEqual(before)
    // A locked keychain is asked once, not with every change: each question may ask the user for a password.
    drafts.save('a', draft(ids[1]!, 'meanwhile'), true)
    await drafts.flush()
    expect(wishes).toHaveLength(2)

    key = unlocked
    expect(await drafts.retry(true)).toMatchObject({ kept: 'disk', message: null })
    expect(wishes.at(-1)).toEqual({ stored: true, byUser: true })
    expect(await names(drafts)).toEqual(['before', 'meanwhile'])
    expect(await names(start())).toEqual(['before', 'meanwhile'])
  })
})

describe('a file that cannot be read', () => {
  it.each([
    ['damaged', () => writeFile(join(folder, 'drafts.sealed'), 'damaged')],
    [
      'of another key',
      async () => {
        await sealedFile(join(folder, 'drafts.sealed')).write('cd'.repeat(32), '{}')
      },
    ],
    [
      'of another content',
      async () => {
        await sealedFile(join(folder, 'drafts.sealed')).write('ab'.repeat(32), '{"version":1}')
      },
    ],
  ])('%s: is set aside and named, and drafts are kept anew', async (_what, write) => {
    await write()
    const before = await readFile(join(folder, 'drafts.sealed'))
    const drafts = start()
    const { keeping } = await drafts.list('a')
    expect(keeping).toMatchObject({ kept: 'disk' })
    expect(await readFile(join(folder, keeping.setAside!))).toEqual(before)
    drafts.save('a', draft(ids[0]!, 'one'), true)
    await drafts.flush()
    expect(await names(start())).toEqual(['one'])
  })

  it.each([
    [
      'with another encryption',
      (path: string) =>
        writeFile(path, Buffer.concat([Buffer.from('SLIPSEAL'), Buffer.of(9), Buffer.alloc(60)])),
    ],
    [
      'with another content',
      (path: string) => sealedFile(path).write('ab'.repeat(32), '{"version":2,"what":"ever"}'),
    ],
  ])('of a newer Slipway, %s, is left where it is', async (_what, write) => {
    const path = join(folder, 'drafts.sealed')
    await write(path)
    const before = await readFile(path)
    const drafts = start()
    expect((await drafts.list('a')).keeping.kept).toBe('session')
    drafts.save('a', draft(ids[0]!, 'one'), true)
    await drafts.flush()
    expect(await readFile(path)).toEqual(before)
  })
})

it('a folder that cannot be written to is said so, and the drafts stay in memory until it can', async () => {
  const drafts = start()
  await rm(folder, { recursive: true })
  drafts.save('a', draft(ids[0]!, 'one'), true)
  await drafts.flush()
  expect(said.at(-1)).toMatchObject({ kept: 'session' })
  expect(said.at(-1)?.message).toContain('ENOENT')
  expect(await names(drafts)).toEqual(['one'])
})

it('a quit waits for what is being written, also where nothing was changed since', async () => {
  const file = sealedFile(join(folder, 'drafts.sealed'))
  let begin: () => void = () => undefined
  let goOn: () => void = () => undefined
  const begun = new Promise<void>((resolve) => (begin = resolve))
  const slow = new Promise<void>((resolve) => (goOn = resolve))
  const write: typeof file.write = async (...what) => {
    begin()
    await slow
    await file.write(...what)
  }
  const drafts = start(0, { ...file, write })
  drafts.save('a', draft(ids[0]!, 'one'), true)
  await begun
  const flushed = vi.fn()
  const flushing = drafts.flush().then(flushed)
  await new Promise((resolve) => setImmediate(resolve))
  expect(flushed).not.toHaveBeenCalled()
  goOn()
  await flushing
  expect(await names(start())).toEqual(['one'])
})

describe('last words', () => {
  it('are asked for only where someone can answer, and waited for', async () => {
    const ask = vi.fn(() => true)
    const words = createLastWords(ask, 60_000)
    await words.gather()
    expect(ask).not.toHaveBeenCalled()
    words.expect()
    const gathered = words.gather()
    expect(ask).toHaveBeenCalledTimes(1)
    words.told()
    await gathered
    await createLastWords(() => false, 60_000).gather()
  })
})

describe('what a page may have kept', () => {
  const many = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  const template = (id: string, text = ''): DraftTemplate => ({
    id,
    name: 'template',
    content: { entered: { name: text, secrets: [] } },
  })
  const problem = (outcome: Outcome<unknown>): string | null => (outcome.ok ? null : outcome.failure.message)

  it('is a number of drafts and templates in each environment; the ones from before can be changed', async () => {
    const drafts = start()
    for (let index = 0; index < draftLimits.drafts; index += 1) {
      expect(problem(drafts.save('a', draft(many(index), `draft ${index}`), true))).toBeNull()
      expect(problem(drafts.saveTemplate('a', template(many(index))))).toBeNull()
    }
    expect(problem(drafts.save('a', draft(many(999), 'one more'), true))).toContain('200 drafts already')
    expect(problem(drafts.saveTemplate('a', template(many(999))))).toContain('200 templates already')
    expect(problem(drafts.save('a', draft(many(0), 'renamed'), true))).toBeNull()
    expect(problem(drafts.save('b', draft(many(999), 'elsewhere'), true))).toBeNull()
    const listed = await drafts.list('a')
    expect([listed.drafts.length, listed.templates.length, listed.currentId]).toEqual([200, 200, many(0)])
    expect((await names(drafts))[0]).toBe('renamed')
  })

  it('is no endless draft, and no endless sum of them over made up environments', async () => {
    const drafts = start()
    drafts.save('a', draft(ids[0]!, 'small', secret), true)
    const large = draft(ids[0]!, 'x'.repeat(draftLimits.characters))
    expect(problem(drafts.save('a', large, true))).toContain('too large')
    expect(await names(drafts), 'what was kept before stays').toEqual(['small'])
    const half = 'x'.repeat(draftLimits.characters / 2)
    const results = Array.from({ length: 100 }, (_, index) =>
      problem(drafts.save(`made-up-${index}`, draft(many(index), half), false)),
    )
    expect(results.filter((one) => one === null).length).toBeLessThanOrEqual(40)
    expect(results.at(-1)).toContain('too much room')
    expect(problem(drafts.saveTemplate('a', template(ids[1]!, half)))).toContain('too much room')
    drafts.forget('made-up-0')
    expect(problem(drafts.saveTemplate('a', template(ids[1]!, half)))).toBeNull()
  })

  it('is nothing that cannot be written: it would keep everything else from being written', async () => {
    const drafts = start()
    const round: Record<string, unknown> = {}
    round.round = round
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown
    for (const odd of [round, deep, 1n]) {
      const { content, ...rest } = draft(ids[0]!, 'odd')
      const outcome = drafts.save('a', { ...rest, content: { ...content, odd } }, true)
      expect(problem(outcome)).toContain('too large')
    }
    drafts.save('a', draft(ids[1]!, 'fine'), true)
    await drafts.flush()
    const again = start()
    await again.open()
    expect(await names(again)).toEqual(['fine'])
    expect(report).not.toHaveBeenCalled()
  })
})
