import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { setAsideNotice } from '../../../../electron/main/set-aside'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-set-aside-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const put = (...names: string[]): Promise<unknown> =>
  Promise.all(names.map((name) => writeFile(join(folder, name), '')))

it('names the files that were set aside, and no others', async () => {
  await put('journal.jsonl', 'journal.head', 'drafts.sealed', 'environments.json', 'window.json', 'notes.txt')
  expect(await setAsideNotice(folder)).toBeNull()
  const aside = [
    'drafts.sealed.unreadable-2026-11-21T10-00-00.000Z',
    'environments.json.damaged-2026-11-21T10-00-00.000Z',
    'journal.head.unreadable-2026-11-21T10-00-00.000Z',
    'journal.jsonl.unreadable-2026-11-21T10-00-00.000Z',
  ]
  await put(...aside)
  expect(await setAsideNotice(folder)).toContain(`${aside.join(', ')}. Delete them`)
})

it('names five of many', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `journal.jsonl.unreadable-2026-11-2${index}`)
  await put(...names)
  expect(await setAsideNotice(folder)).toContain(`${names.slice(-5).join(', ')} and 3 more.`)
})
