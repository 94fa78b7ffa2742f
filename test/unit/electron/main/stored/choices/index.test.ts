import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { type Choices, choicesSchema } from '@contract/ipc/choices'
import { openChoices } from '../../../../../../electron/main/stored/choices'
import { refusingReads } from '../../../../../support/main/refusing-reads'
import { temporaryFolder } from '../../../../../support/temporary-folder'

let folder: string
let path: string
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'choices.json')
  noticed = []
})

const none = choicesSchema.parse({})
const chosen: Choices = choicesSchema.parse({
  refreshSeconds: 60,
  columns: [{ key: 'status', isShown: false, width: 120 }],
  rowHeight: 'comfortable',
  lists: {
    a: { data: 'cached', sort: { by: 'name', descending: false }, pageSize: 20, statuses: ['UNUSED'] },
  },
})

let noticed: string[]
const open = (exists: (id: string) => boolean = () => true) =>
  openChoices(path, exists, (text) => noticed.push(text))

it('has what was saved at the next start, for environments that still exist', async () => {
  const first = open((id) => id === 'a')
  expect(first.read()).toEqual(none)
  await first.save({ ...chosen, lists: { ...chosen.lists, gone: chosen.lists.a! } })
  expect(open().read()).toEqual(chosen)
})

it('gives the page the last screen, whoever requests shortcuts before', async () => {
  const screen = { path: '/environments', deployment: null }
  const shortcuts = { refresh: ['F5'] }
  await open().save({ ...chosen, screen, shortcuts })
  const file = open()
  expect(file.shortcuts()).toEqual(shortcuts)
  expect(file.read().screen).toEqual(screen)
  expect(file.read().screen).toBeNull()
})

it.each(['{"version":1,"refreshSeconds":7}', '{"version":1,"lists":{"a":{"pageSize":1000}}}'])(
  'starts from the defaults if the file is %j, and replaces it',
  async (text) => {
    await writeFile(path, text)
    const file = open()
    expect(file.read()).toEqual(none)
    await file.save(chosen)
    expect(open().read()).toEqual(chosen)
  },
)

// A power cut may leave an empty one.
it.each(['', '{"version":1,"rowHei', '[]', 'null'])('sets aside a damaged file (%s)', async (text) => {
  await writeFile(path, text)
  const file = open()
  expect(file.read()).toEqual(none)
  const [aside] = (await readdir(folder)).filter((name) => name.startsWith('choices.json.damaged-'))
  await file.save(chosen)
  expect(open().read()).toEqual(chosen)
  expect(await readFile(join(folder, aside!), 'utf8')).toBe(text)
})

it('leaves a file as it is that the disk refuses to read, and says so; one refusal does nothing', async () => {
  await open().save(chosen)
  const refused = (count: number) =>
    openChoices(
      path,
      () => true,
      (text) => noticed.push(text),
      refusingReads(count),
    )
  expect(refused(1).read()).toEqual(chosen)
  expect(noticed).toEqual([])
  const file = refused(Number.POSITIVE_INFINITY)
  expect(file.read()).toEqual(none)
  expect(noticed).toEqual([expect.stringContaining('disk (EIO)')])
  await file.save({ ...none, refreshSeconds: 15 })
  expect(open().read()).toEqual(chosen)
})

it('has only shortcuts of commands that exist', () => {
  const many = Array.from({ length: 33_000 }, (_, index) => [`command-${index}`, ['Ctrl+K']] as const)
  const shortcuts = { ...Object.fromEntries(many), refresh: ['F5'] }
  expect(choicesSchema.parse({ shortcuts }).shortcuts).toEqual({ refresh: ['F5'] })
})

it('reads a file that lacks what later versions added', async () => {
  await writeFile(path, '{"version":1,"lists":{"a":{"statuses":["READY"]}}}')
  expect(open().read()).toEqual(choicesSchema.parse({ lists: { a: { statuses: ['READY'] } } }))
})

it('leaves the file of a newer version as it is, says so, and reads what it can of it', async () => {
  const overview = { stuckMinutes: 60, period: 'week', leftAt: null }
  const text = JSON.stringify({ version: 9, what: 'ever', overview, board: { shape: 'new' } })
  await writeFile(path, text)
  const file = open()
  expect(file.read()).toEqual({ ...none, overview })
  expect(noticed).toEqual([expect.stringContaining('newer version')])
  await file.save(chosen)
  expect(file.read()).toEqual(chosen)
  expect(await readFile(path, 'utf8')).toBe(text)
})

it('gives the screen of the last start once, and none of an environment that is gone', async () => {
  const screen = { path: '/deployments', deployment: { environmentId: 'a', id: 'one' } }
  const first = open()
  await first.save({ ...chosen, screen })
  const second = open()
  expect(second.read().screen).toEqual(screen)
  expect(second.read().screen, 'a page that is loaded again may have stopped because of it').toBeNull()

  const third = open((id) => id !== 'a')
  await third.save({ ...chosen, screen })
  expect(open().read().screen).toBeNull()
  await third.save({ ...chosen, screen: { path: '/activity', deployment: null } })
  expect(open().read().screen).toEqual({ path: '/activity', deployment: null })
})
