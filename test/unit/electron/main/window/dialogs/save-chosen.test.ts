import { chmod, lstat, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Files, nodeFiles } from '../../../../../../electron/main/files'
import { saveChosen } from '../../../../../../electron/main/window/dialogs/save-chosen'
import { temporaryFolder } from '../../../../../support/temporary-folder'

let folder = ''
let path = ''
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'saved.json')
})

const refused = (code: string): Promise<never> => Promise.reject(Object.assign(new Error(code), { code }))

/** The disk is full after the first bytes. */
const fullDisk: Files = {
  ...nodeFiles,
  async open(name, how) {
    const file = await nodeFiles.open(name, how)
    const append = (bytes: Uint8Array): Promise<void> =>
      file.append(bytes.subarray(0, 3)).then(() => refused('ENOSPC'))
    return { ...file, append }
  },
}

/** The folder of the chosen file accepts no new file. */
const readOnlyFolder: Files = {
  ...nodeFiles,
  open: (name, how) => (dirname(name) === folder ? refused('EACCES') : nodeFiles.open(name, how)),
}

const modeOf = async (name: string): Promise<number> => (await stat(name)).mode & 0o777

describe('a chosen file', () => {
  it('is written for its owner only, and with the permissions of the one that it replaces', async () => {
    expect(await saveChosen(path, 'new', 'The file')).toBeNull()
    expect(await readFile(path, 'utf8')).toBe('new')
    expect(await modeOf(path)).toBe(0o600)
    await chmod(path, 0o640)
    expect(await saveChosen(path, 'newer', 'The file')).toBeNull()
    expect(await readFile(path, 'utf8')).toBe('newer')
    expect(await modeOf(path)).toBe(0o640)
    expect(await readdir(folder)).toEqual(['saved.json'])
  })

  it('stays as it was if the disk is full', async () => {
    await writeFile(path, 'before')
    expect(await saveChosen(path, 'new', 'The file', fullDisk)).toMatchObject({ code: 'disk-full' })
    expect(await readFile(path, 'utf8')).toBe('before')
    expect(await readdir(folder)).toEqual(['saved.json'])
  })

  it('is the target of a symbolic link, even if that is missing', async () => {
    await writeFile(path, 'before')
    await symlink('saved.json', join(folder, 'link'))
    await symlink('missing.json', join(folder, 'dangling'))
    await symlink('loop', join(folder, 'loop'))
    expect(await saveChosen(join(folder, 'link'), 'new', 'The file')).toBeNull()
    expect(await saveChosen(join(folder, 'dangling'), 'new', 'The file')).toBeNull()
    expect(await saveChosen(join(folder, 'loop'), 'new', 'The file')).toMatchObject({ code: 'internal' })
    expect(await readFile(path, 'utf8')).toBe('new')
    expect(await readFile(join(folder, 'missing.json'), 'utf8')).toBe('new')
    for (const name of ['link', 'dangling', 'loop'])
      expect((await lstat(join(folder, name))).isSymbolicLink()).toBe(true)
  })

  it('is written in place if its folder accepts no new file', async () => {
    for (const [before, now] of [
      ['short', 'longer than before'],
      ['longer than now', 'short'],
    ] as const) {
      await writeFile(path, before)
      const { ino } = await stat(path)
      expect(await saveChosen(path, now, 'The file', readOnlyFolder)).toBeNull()
      expect(await readFile(path, 'utf8')).toBe(now)
      expect((await stat(path)).ino).toBe(ino)
    }
    await rm(path)
    expect(await saveChosen(path, 'new', 'The file', readOnlyFolder)).toMatchObject({ code: 'internal' })
  })

  it('is written in place if it cannot be replaced', async () => {
    await writeFile(path, 'before')
    const files: Files = { ...nodeFiles, rename: () => refused('EBUSY') }
    expect(await saveChosen(path, 'new', 'The file', files)).toBeNull()
    expect(await readFile(path, 'utf8')).toBe('new')
    expect(await readdir(folder)).toEqual(['saved.json'])
  })

  it.runIf(process.platform === 'linux')('may be a device, which stays one', async () => {
    expect(await saveChosen('/dev/null', 'new', 'The file')).toBeNull()
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true)
    expect(await saveChosen('/dev/full', 'new', 'The file')).toMatchObject({ code: 'disk-full' })
  })
})
