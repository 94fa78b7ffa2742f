import { chmod, type FileHandle, mkdir, open, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { nodeFiles } from '../../../../../electron/main/files'
import { closeToOthers } from '../../../../../electron/main/files/permissions'
import { writeAtomically } from '../../../../../electron/main/files/atomic-write'
import { temporaryFolder } from '../../../../support/temporary-folder'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const modeOf = async (name: string): Promise<string> =>
  ((await stat(join(folder, name))).mode & 0o777).toString(8)

it("removes others' access, and leaves alone what isn't Slipway’s", async () => {
  await chmod(folder, 0o755)
  const files = [
    'journal.jsonl',
    'journal.jsonl.unreadable-x',
    'drafts.sealed',
    'personal.sealed',
    'environments.json',
    'window.json',
    'choices.json',
  ]
  for (const name of files) await writeFile(join(folder, name), '', { mode: 0o644 })
  await mkdir(join(folder, 'built-in-service', 'cloud'), { recursive: true, mode: 0o755 })
  await mkdir(join(folder, 'logs'), { mode: 0o755 })
  await writeFile(join(folder, 'logs', 'slipway.log'), '', { mode: 0o644 })
  await writeFile(join(folder, 'built-in-service', 'cloud', 'deployments.sqlite'), '', { mode: 0o666 })
  await writeFile(join(folder, 'Preferences'), '', { mode: 0o644 })
  await symlink(join(folder, 'Preferences'), join(folder, 'journal.link'))

  await closeToOthers(folder)
  expect(await modeOf('.')).toBe('700')
  for (const name of files) expect(await modeOf(name), name).toBe('600')
  expect(await modeOf('logs')).toBe('700')
  expect(await modeOf('logs/slipway.log')).toBe('600')
  expect(await modeOf('built-in-service/cloud')).toBe('700')
  expect(await modeOf('built-in-service/cloud/deployments.sqlite')).toBe('600')
  expect(await modeOf('Preferences')).toBe('644')
  await closeToOthers(folder)
})

it("isn't needed for new files", async () => {
  await nodeFiles.makeFolder(join(folder, 'a', 'b'))
  expect(await modeOf('a')).toBe('700')
  expect(await modeOf('a/b')).toBe('700')
  await writeAtomically(join(folder, 'whole'), 'text')
  nodeFiles.now.write(join(folder, 'now'), 'text')
  nodeFiles.now.appendLines(join(folder, 'lines'), 'text\n')
  await (await nodeFiles.open(join(folder, 'appended'), 'append')).close()
  for (const name of ['whole', 'now', 'lines', 'appended']) expect(await modeOf(name), name).toBe('600')
})

it('is that of a new file even if a leftover that others may write to has its name', async () => {
  const names = ['whole', 'whole.new', 'now', 'lines', 'appended', 'new']
  for (const name of names) {
    await writeFile(join(folder, name), 'left\n')
    await chmod(join(folder, name), 0o666)
  }
  await writeAtomically(join(folder, 'whole'), 'text')
  nodeFiles.now.write(join(folder, 'now'), 'text')
  nodeFiles.now.appendLines(join(folder, 'lines'), 'text\n')
  for (const how of ['append', 'new'] as const) {
    await (await nodeFiles.open(join(folder, how === 'new' ? how : 'appended'), how)).close()
  }
  for (const name of names.filter((one) => one !== 'whole.new')) expect(await modeOf(name), name).toBe('600')
})

it('keeps no file from being written if the system refuses to change it', async () => {
  const leftover = join(folder, 'whole.new')
  await writeFile(leftover, '')
  await chmod(leftover, 0o666)
  const file = await open(leftover)
  const refused = vi.spyOn(Object.getPrototypeOf(file) as FileHandle, 'chmod')
  await file.close()
  refused.mockRejectedValue(Object.assign(new Error('refused'), { code: 'EPERM' }))
  try {
    await writeAtomically(join(folder, 'whole'), 'text')
  } finally {
    refused.mockRestore()
  }
  expect(await readFile(join(folder, 'whole'), 'utf8')).toBe('text')
})
