import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import {
  createSetAsideNotice,
  filesSetAside,
  type SetAsideNotice,
} from '../../../../../../electron/main/window/notices/set-aside-files'
import { temporaryFolder } from '../../../../../support/temporary-folder'

let folder: string
beforeEach(() => {
  notices = []
  folder = temporaryFolder()
})

const put = (...names: string[]): Promise<unknown> =>
  Promise.all(names.map((name) => writeFile(join(folder, name), '')))

/** The notices for the operator, in order. */
let notices: (string | null)[]
const notice = (): SetAsideNotice => createSetAsideNotice(folder, (text) => notices.push(text))

it('counts the files that were set aside, and no others, and names the latest', async () => {
  await put('journal.jsonl', 'journal.head', 'drafts.sealed', 'environments.json', 'window.json', 'notes.txt')
  await notice().open()
  expect(notices).toEqual([null])
  const aside = [
    'drafts.sealed.unreadable-2026-11-21T10-00-00.000Z',
    'environments.json.damaged-2026-11-22T10-00-00.000Z',
    'journal.head.unreadable-2026-11-21T10-00-00.000Z',
    'journal.jsonl.damaged-2026-11-21T10-00-00.000Z',
    'journal.jsonl.unreadable-2026-11-21T10-00-00.000Z',
  ]
  await put(...aside)
  await notice().open()
  expect(notices.at(-1)).toMatch(
    /5 files .*, the latest as environments\.json\.damaged-2026-11-22T10-00-00\.000Z\. It takes an "unreadable" one in again/,
  )
})

it('counts files that were in the way, and the data of sandboxes, too', async () => {
  await put('environments.json.new.in-the-way-2026-11-20T10-00-00.000Z')
  await mkdir(join(folder, 'built-in-service', 'cloud.damaged-2026-11-23T10-00-00.000Z'), { recursive: true })
  await notice().open()
  expect(notices.at(-1)).toMatch(
    /2 files .*, the latest as built-in-service\/cloud\.damaged-2026-11-23T10-00-00\.000Z\. Delete them/,
  )
  // None of these can name an environment.
  expect(await filesSetAside(folder)).toEqual([])
})

it('counts damaged caches once each, and says what is lost with them', async () => {
  await mkdir(join(folder, 'cache'))
  await put('watches.sealed.unreadable-2026-11-23T10-00-00.000Z')
  const aside = 'cache/0a-1.db.damaged-20261122T100000'
  await put('cache/0a-1.db', aside, `${aside}-wal`, `${aside}-shm`, `${aside}.header`)
  const now = notice()
  await now.open()
  expect(notices.at(-1)).toMatch(/2 files .*, the latest as watches\.sealed\..* A cache has the history/)
  const later = 'cache/0a-2.db.damaged-20261124T100000'
  await now.add(later)
  expect(notices.at(-1)).toMatch(`3 files or folders and kept them in its folder, the latest as ${later}. `)
})

it('says what a damaged file of choices means', async () => {
  await put('choices.json.damaged-2026-11-28T10-00-00.000Z')
  await notice().open()
  expect(notices.at(-1)).toMatch(
    /choices\.json\.damaged-\S+ The board, .* were reset to their defaults\. Delete it/,
  )
})

it('promises nothing about changed files', async () => {
  await put('journal.jsonl.damaged-1')
  await notice().open()
  expect(notices.at(-1)).toContain('journal.jsonl.damaged-1. Delete it')
})

it('no longer names files that were added again or set aside at this start', async () => {
  const [first, second] = ['journal.jsonl.unreadable-1', 'journal.jsonl.unreadable-2'] as const
  await put(first, second)
  const now = notice()
  await now.open()
  await Promise.all([rm(join(folder, first)), put('journal.jsonl.unreadable-3')])
  await now.refresh()
  expect(notices.at(-1)).toContain(`: ${second}. `)
  await rm(join(folder, second))
  await now.refresh()
  expect(notices.at(-1)).toBeNull()
})
