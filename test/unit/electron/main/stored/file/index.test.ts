import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failure, succeed } from '@contract'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { encryptedFile } from '../../../../../../electron/main/files/encrypted-file'
import {
  type StoredFile,
  type StoredFormat,
  openStoredFile,
} from '../../../../../../electron/main/stored/file'
import { temporaryFolder } from '../../../../../support/temporary-folder'

interface Content {
  version: number
  words: string[]
  takenIn: string[]
}

const format: StoredFormat<Content> = {
  subject: 'Words',
  name: 'words.sealed',
  account: 'words-key',
  none: { version: 1, words: [], takenIn: [] },
  read(text) {
    try {
      const content = JSON.parse(text) as Content
      return content.version > 1 ? 'newer' : content
    } catch {
      return 'unreadable'
    }
  },
  merged: (first, second) => ({ ...first, words: [...new Set([...first.words, ...second.words])] }),
  largest: { change: 1_000, merge: 3_000 },
  smaller: [
    (content) => ({ ...content, words: content.words.filter((word) => word !== 'spare') }),
    (content) => ({ ...content, words: content.words.filter((word) => word !== 'rest') }),
  ],
  tooLargeAdvice: 'Remove some.',
}
const keys = { first: 'ab'.repeat(32), second: 'cd'.repeat(32) }

let folder: string
let notices: (string | null)[]
let regained: string[]
let reported: unknown[]

beforeEach(() => {
  folder = temporaryFolder()
  notices = []
  regained = []
  reported = []
})

function open({ key = keys.first, isNew = false, keepsAsides = false } = {}): StoredFile<Content> {
  const file = encryptedFile(join(folder, format.name))
  return openStoredFile(format, {
    file: keepsAsides ? { ...file, removeSetAside: () => Promise.reject(new Error('It is in use.')) } : file,
    keys: {
      keyFor: (_account, wish) => {
        if (isNew) wish?.created?.()
        return Promise.resolve(succeed(key))
      },
    },
    notice: (text) => notices.push(text),
    regained: (name) => regained.push(name),
    report: (error) => reported.push(error),
  })
}

const add = (file: StoredFile<Content>, ...words: string[]) =>
  file.change((content) =>
    succeed({ content: { ...content, words: [...content.words, ...words] }, value: null }),
  )

const wordsOf = async (file: StoredFile<Content>): Promise<string[] | null> => {
  const content = await file.content()
  return content.ok ? content.value.words : null
}

it('asks the keychain for nothing while there is no file', async () => {
  const file = openStoredFile(format, {
    file: encryptedFile(join(folder, format.name)),
    keys: { keyFor: () => Promise.reject(new Error('It was asked.')) },
    notice: () => undefined,
    regained: () => undefined,
    report: () => undefined,
  })
  expect(await file.open()).toBe(false)
  expect(await file.content()).toEqual(succeed(format.none))
  expect(file.known()).toBe(format.none)
  expect(await add(file, 'a')).toMatchObject({ failure: { code: 'internal' } })
})

it('says whether the key is lost or the file is damaged', async () => {
  await add(open(), 'a')
  expect(await wordsOf(open({ key: keys.second, isNew: true }))).toEqual([])
  expect(notices.at(-1)).toContain("the keychain doesn't have their key any more")
  await writeFile(join(folder, format.name), 'not ours')
  expect(await wordsOf(open({ key: keys.second }))).toEqual([])
  expect(notices.at(-1)).toContain('their file is damaged or was written with another key')
  expect(notices.at(-1)).toContain('put the earlier words.sealed in its place')
})

it('restores a file that was set aside once, even if it cannot be removed', async () => {
  await add(open(), 'a', 'b')
  await add(open({ key: keys.second }), 'c')
  await rename(join(folder, format.name), join(folder, `${format.name}.unreadable-9`))
  expect(await wordsOf(open({ keepsAsides: true }))).toEqual(['a', 'b'])
  expect(reported).toHaveLength(1)
  const file = open({ keepsAsides: true })
  await file.change((content) => succeed({ content: { ...content, words: ['b'] }, value: null }))
  expect(await wordsOf(open())).toEqual(['b'])
  expect(regained).toHaveLength(1)
  // The other one waits for its own key.
  expect((await readdir(folder)).sort()).toEqual([format.name, `${format.name}.unreadable-9`])
})

it('makes a content smaller step by step, and refuses one that stays too large unless it shrinks', async () => {
  const file = open()
  await add(file, 'x'.repeat(900), 'rest', ...Array.from({ length: 50 }, () => 'spare'))
  expect(await wordsOf(file)).toEqual(['x'.repeat(900), 'rest'])
  await add(file, ...Array.from({ length: 50 }, () => 'rest'))
  expect(await wordsOf(file)).toEqual(['x'.repeat(900)])
  expect(await add(file, 'y'.repeat(200))).toMatchObject({
    failure: { code: 'invalid-input', advice: 'Remove some.' },
  })
  expect(await wordsOf(open())).toEqual(['x'.repeat(900)])
})

it('has what was acknowledged, however keys change', async () => {
  const step = fc.oneof(
    fc.record({ adds: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ key: fc.constantFrom(keys.first, keys.second) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      for (const name of await readdir(folder)) await rm(join(folder, name))
      const added = { [keys.first]: new Set<string>(), [keys.second]: new Set<string>() }
      let key = keys.first
      let file = open({ key })
      for (const one of steps) {
        if ('key' in one) {
          key = one.key
          file = open({ key })
        } else if ((await add(file, one.adds)).ok) added[key]!.add(one.adds)
      }
      for (const each of [keys.first, keys.second]) {
        expect(new Set(await wordsOf(open({ key: each })))).toEqual(added[each])
      }
    }),
  )
})

it('leaves a file of a newer version alone', async () => {
  const file = open()
  await file.change((content) => succeed({ content: { ...content, version: 2 }, value: null }))
  const later = open()
  expect(await later.content()).toMatchObject({ failure: { code: 'internal' } })
  expect(notices.at(-1)).toContain('newer version')
  expect(await add(later, 'a')).toMatchObject({ ok: false })
  expect(later.known()).toBeNull()
})

it('changes nothing if a change is refused', async () => {
  const file = open()
  await add(file, 'a')
  const refused = failure('not-found', 'There is no such word.')
  expect(await file.change(() => ({ ok: false, failure: refused }))).toEqual({ ok: false, failure: refused })
  expect(await wordsOf(open())).toEqual(['a'])
})
