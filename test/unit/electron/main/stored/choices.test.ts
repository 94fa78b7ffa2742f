import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { type Choices, choicesSchema } from '@contract/ipc/choices'
import { openChoices } from '../../../../../electron/main/stored/choices'
import { temporaryFolder } from '../../../../support/temporary-folder'

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
    a: {
      ...{ source: 'cached', sort: { by: 'name', descending: false }, size: 20 },
      filters: { statuses: ['UNUSED'], rollingOut: false, deploymentType: null, remoteReconciled: null },
    },
  },
})

const open = (exists: (id: string) => boolean = () => true) => openChoices(path, exists, () => undefined)

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

// A power cut may leave an empty one.
it.each(['', '{"rowHei'])('sets aside a damaged file (%s)', async (text) => {
  await writeFile(path, text)
  const file = open()
  expect(file.read()).toEqual(none)
  const [aside] = (await readdir(folder)).filter((name) => name.startsWith('choices.json.damaged-'))
  await file.save(chosen)
  expect(open().read()).toEqual(chosen)
  expect(await readFile(join(folder, aside!), 'utf8')).toBe(text)
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
