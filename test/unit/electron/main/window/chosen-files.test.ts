import { chmod, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { succeed } from '@contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { saveChosen } from '../../../../../electron/main/window/chosen-files'
import { temporaryFolder } from '../../../../support/temporary-folder'

let folder = ''
let path = ''
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'saved.json')
})

const modeOf = async (name: string): Promise<number> => (await stat(name)).mode & 0o777

describe('a chosen file', () => {
  it('is written for its owner only, and with the permissions of the one that it replaces', async () => {
    expect(await saveChosen(path, 'new', 'The file')).toEqual(succeed({ path }))
    expect(await readFile(path, 'utf8')).toBe('new')
    expect(await modeOf(path)).toBe(0o600)
    await chmod(path, 0o640)
    expect(await saveChosen(path, 'newer', 'The file')).toEqual(succeed({ path }))
    expect(await readFile(path, 'utf8')).toBe('newer')
    expect(await modeOf(path)).toBe(0o640)
    expect(await readdir(folder)).toEqual(['saved.json'])
  })
})
