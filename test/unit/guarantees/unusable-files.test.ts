import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeFiles, UnusableFileError } from '../../../electron/main/files'
import { largestFile } from '../../../electron/main/files/regular-file'
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
})
