import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { type Choices, choicesSchema } from '@contract/ipc/choices'
import { openChoices } from '../../../../../../electron/main/features/choices'
import { temporaryFolder } from '../../../../../support/temporary-folder'

let folder: string
let path: string
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'choices.json')
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
const all = () => true

it('has what was saved at the next start, for environments that still exist', async () => {
  const first = openChoices(path, (id) => id === 'a')
  expect(first.read()).toEqual(none)
  await first.save({ ...chosen, lists: { ...chosen.lists, gone: chosen.lists.a! } })
  expect(openChoices(path, all).read()).toEqual(chosen)
})

it('gives the page the last screen, whoever requests shortcuts before', async () => {
  const screen = { path: '/environments', deployment: null }
  const shortcuts = { refresh: ['F5'] }
  await openChoices(path, all).save({ ...chosen, screen, shortcuts })
  const file = openChoices(path, all)
  expect(file.shortcuts()).toEqual(shortcuts)
  expect(file.read().screen).toEqual(screen)
  expect(file.read().screen).toBeNull()
})

it.each(['', '{', '[]', '{"version":1,"refreshSeconds":7}', '{"version":1,"lists":{"a":{"pageSize":1000}}}'])(
  'starts from the defaults if the file is %j, and replaces it',
  async (text) => {
    await writeFile(path, text)
    const file = openChoices(path, all)
    expect(file.read()).toEqual(none)
    await file.save(chosen)
    expect(openChoices(path, all).read()).toEqual(chosen)
  },
)

it('has only shortcuts of commands that exist', () => {
  const many = Array.from({ length: 33_000 }, (_, index) => [`command-${index}`, ['Ctrl+K']] as const)
  const shortcuts = { ...Object.fromEntries(many), refresh: ['F5'] }
  expect(choicesSchema.parse({ shortcuts }).shortcuts).toEqual({ refresh: ['F5'] })
})

it('reads a file that lacks what later versions added', async () => {
  await writeFile(path, '{"version":1,"lists":{"a":{"statuses":["READY"]}}}')
  expect(openChoices(path, all).read()).toEqual(
    choicesSchema.parse({ lists: { a: { statuses: ['READY'] } } }),
  )
})

it('leaves the file of a newer version as it is', async () => {
  const text = '{"version":9,"what":"ever"}'
  await writeFile(path, text)
  const file = openChoices(path, all)
  await file.save(chosen)
  expect(file.read()).toEqual(chosen)
  expect(await readFile(path, 'utf8')).toBe(text)
})

it('gives the screen of the last start once, and none of an environment that is gone', async () => {
  const screen = { path: '/deployments', deployment: { environmentId: 'a', id: 'one' } }
  const first = openChoices(path, all)
  await first.save({ ...chosen, screen })
  const second = openChoices(path, all)
  expect(second.read().screen).toEqual(screen)
  expect(second.read().screen, 'a page that is loaded again may have stopped because of it').toBeNull()

  const third = openChoices(path, (id) => id !== 'a')
  await third.save({ ...chosen, screen })
  expect(openChoices(path, all).read().screen).toBeNull()
  await third.save({ ...chosen, screen: { path: '/activity', deployment: null } })
  expect(openChoices(path, all).read().screen).toEqual({ path: '/activity', deployment: null })
})
