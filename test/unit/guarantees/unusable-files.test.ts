import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { succeed } from '@contract'
import { openChoices } from '../../../electron/main/stored/choices'
import { openIndexFile } from '../../../electron/main/environments/list/index-file'
import { nodeFiles, UnusableFileError } from '../../../electron/main/files'
import { unreadableAsides } from '../../../electron/main/files/set-aside'
import { largestFile } from '../../../electron/main/files/regular-file'
import { createJournal } from '../../../electron/main/stored/journal'
import { JournalFile } from '../../../electron/main/stored/journal/file/journal-file'
import { LineEncryption } from '../../../electron/main/stored/journal/file/line-encryption'
import { encryptedFile } from '../../../electron/main/files/encrypted-file'
import { createSetAsideNotice, filesSetAside } from '../../../electron/main/window/notices/set-aside-files'
import { createPersonal } from '../../../electron/main/stored/personal'
import { writeAtomically } from '../../../electron/main/files/atomic-write'
import { savedView } from '../../support/builders/saved-view'
import { temporaryFolder } from '../../support/temporary-folder'

// What a person or a careless script may have put in place of a file.

let folder: string
let path: string
const ends: (() => Promise<unknown>)[] = []
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'file')
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const things: Record<string, (place: string) => void | Promise<void>> = {
  'a folder': (place) => void mkdirSync(place),
  'a pipe': (place) => void execFileSync('mkfifo', [place]),
  'a link to a pipe': (place) => {
    execFileSync('mkfifo', [`${place}.pipe`])
    symlinkSync(`${place}.pipe`, place)
  },
  'an endless device': (place) => symlinkSync('/dev/zero', place),
  'a full device': (place) => symlinkSync('/dev/full', place),
  'a link to itself': (place) => symlinkSync(place, place),
  'a socket': (place) =>
    new Promise((resolve) => {
      const server = createServer().listen(place, resolve)
      ends.push(() => new Promise((closed) => server.close(closed)))
    }),
}

const names = readdirSync.bind(null) as (from: string) => string[]
const isAside = (name: string): boolean => /unreadable|damaged/.test(name)

describe.skipIf(process.platform === 'win32')('in place of a file', () => {
  it.each(Object.keys(things))('%s is neither read nor written', async (thing) => {
    await things[thing]!(path)
    const unusable = { code: 'UNUSABLE_FILE' }
    await expect(nodeFiles.read(path)).rejects.toMatchObject(unusable)
    await expect(nodeFiles.open(path, 'append')).rejects.toMatchObject(unusable)
    await expect(nodeFiles.open(path, 'new')).rejects.toMatchObject(unusable)
    for (const call of [
      () => nodeFiles.now.read(path),
      () => nodeFiles.now.write(path, 'text'),
      () => nodeFiles.now.appendLines(path, 'text\n'),
    ])
      expect(call).toThrow(UnusableFileError)
    expect(nodeFiles.now.size(path)).not.toBeNull()
  })

  it('a file that is far too large is not read, and a link to a file counts as a file', async () => {
    writeFileSync(path, '')
    truncateSync(path, largestFile + 1)
    await expect(nodeFiles.read(path)).rejects.toThrow(UnusableFileError)
    rmSync(path)
    writeFileSync(join(folder, 'elsewhere'), 'text')
    symlinkSync(join(folder, 'elsewhere'), path)
    expect((await nodeFiles.read(path))?.toString()).toBe('text')
    expect(nodeFiles.now.read(path)?.toString()).toBe('text')
  })

  it.each(Object.keys(things))(
    '%s in place of the new file does not prevent the file from being written',
    async (thing) => {
      const path = join(folder, 'drafts.sealed')
      await writeAtomically(path, 'old')
      await things[thing]!(`${path}.new`)
      await writeAtomically(path, 'new')
      expect(await readFile(path, 'utf8')).toBe('new')
      await writeAtomically(path, 'newer')
      expect(await readFile(path, 'utf8')).toBe('newer')
      // What was in the way isn't mistaken for unreadable drafts.
      expect(names(folder).filter((name) => name.includes('in-the-way'))).toHaveLength(1)
      expect(await filesSetAside(folder)).toEqual([])
      expect(await unreadableAsides(nodeFiles, path)).toEqual([])
    },
  )

  it.each(Object.keys(things))('%s instead of the journal is set aside, with a notice', async (thing) => {
    const key = randomBytes(32).toString('hex')
    const place = { environmentId: 'a', environmentName: 'A' }
    const open = (notices: (string | null)[]) =>
      createJournal(
        new JournalFile(join(folder, 'journal.jsonl'), new LineEncryption(() => Promise.resolve(key))),
        {
          changed: () => undefined,
          report: (error) => {
            throw error
          },
          notice: (text) => notices.push(text),
        },
      )
    for (const file of ['journal.jsonl', 'journal.head', 'journal.meanwhile.jsonl']) {
      await rm(join(folder, file), { recursive: true, force: true })
      await things[thing]!(join(folder, file))
      const notices: (string | null)[] = []
      const journal = open(notices)
      expect(await journal.incompleteReason(), file).toBe('gap')
      expect(notices.at(-1), file).toContain(
        'The journal was changed outside Slipway, is damaged or is too large',
      )
      await journal.noteFailure({ ...place, account: null }, file, new Date(), {
        ...(await journal.list(1))[0]!.failure!,
        message: file,
      })
      expect(names(folder).filter((name) => name.startsWith(`${file}.damaged-`))).toHaveLength(1)
      const again = await open([]).list(10)
      expect(again.map((entry) => entry.kind === 'failure' && entry.action)).toContain(file)
      for (const name of names(folder).filter(isAside)) await rm(join(folder, name), { recursive: true })
    }
  })

  it.each(Object.keys(things))(
    '%s instead of favourites and notes is set aside, with a notice',
    async (thing) => {
      await things[thing]!(join(folder, 'personal.sealed'))
      const notices: (string | null)[] = []
      const open = () =>
        createPersonal({
          file: encryptedFile(join(folder, 'personal.sealed')),
          keys: { keyFor: () => Promise.resolve(succeed('ab'.repeat(32))) },
          changed: () => undefined,
          notice: (text) => notices.push(text),
          regained: () => undefined,
          report: (error) => {
            throw error
          },
        })
      const views = [savedView(1, 'Mine')]
      const personal = open()
      await personal.open()
      expect(await personal.content()).toMatchObject({ ok: true, value: { views: [] } })
      expect(notices.at(-1)).toContain(names(folder).find(isAside))
      await personal.change((content) => succeed({ content: { ...content, views }, value: null }))
      expect(await open().content()).toMatchObject({ ok: true, value: { views } })
    },
  )

  it.each(Object.keys(things))(
    '%s instead of the choices is replaced by the next change that is saved',
    async (thing) => {
      const choices = join(folder, 'choices.json')
      await things[thing]!(choices)
      const file = openChoices(
        choices,
        () => true,
        () => undefined,
      )
      await file.save({ ...file.read(), refreshSeconds: 60 })
      expect(
        openChoices(
          choices,
          () => true,
          () => undefined,
        ).read().refreshSeconds,
      ).toBe(60)
      const notices: (string | null)[] = []
      await createSetAsideNotice(folder, (text) => notices.push(text)).open()
      const aside = names(folder).find((name) => name.includes('in-the-way'))
      expect(aside === undefined).toBe(thing !== 'a folder')
      if (aside) expect(notices.at(-1)).toContain(aside)
    },
  )

  it('a list that is set aside replaces no earlier one, even if the clock was set back', () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] })
    try {
      for (const text of ['first', 'second']) {
        writeFileSync(path, text)
        expect(openIndexFile(path, { environments: [] } as never).first).toMatchObject({ rebuild: true })
      }
    } finally {
      vi.useRealTimers()
    }
    const asides = names(folder).filter(isAside)
    expect(asides.map((name) => readFileSync(join(folder, name), 'utf8')).sort()).toEqual(['first', 'second'])
  })

  it.each(Object.keys(things))('%s instead of drafts, the index or the log is set aside', async (thing) => {
    const drafts = join(folder, 'drafts.sealed')
    await things[thing]!(drafts)
    const sealed = encryptedFile(drafts)
    const key = randomBytes(32).toString('hex')
    expect(sealed.exists()).toBe(true)
    expect(await sealed.read(key)).toEqual({ state: 'unreadable' })
    await sealed.setAside()
    await sealed.write(key, 'drafts')
    expect(await sealed.read(key)).toEqual({ state: 'read', text: 'drafts' })

    const environments = join(folder, 'environments.json')
    await things[thing]!(environments)
    const empty = { version: 1 as const, currentId: '', environments: [] }
    expect(openIndexFile(environments, empty as never).first).toMatchObject({ rebuild: true })
    expect(names(folder).filter(isAside)).toHaveLength(2)
  })
})
