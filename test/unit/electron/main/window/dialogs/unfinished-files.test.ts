import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { rememberUnfinished } from '../../../../../../electron/main/window/dialogs/unfinished-files'
import { temporaryFolder } from '../../../../../support/temporary-folder'

let root = ''
let data = ''
let folder = ''
beforeEach(async () => {
  root = temporaryFolder()
  data = join(root, 'data')
  folder = join(root, 'chosen')
  await mkdir(folder)
})

const id = '00000000-0000-4000-8000-000000000001'
const name = `.slipway-${id}.part`

/** A record of the user data, as a killed process left it or as another program wrote it. */
async function record(where: string, called = id): Promise<void> {
  await mkdir(data, { recursive: true })
  await writeFile(join(data, called), where)
}

describe('an unfinished file', () => {
  it('is removed at the next start after a kill, with its record', async () => {
    const path = await rememberUnfinished(data).begin(folder)
    expect(basename(path)).toMatch(/^\.slipway-[\da-f-]{36}\.part$/)
    await writeFile(path, 'a part')
    await writeFile(join(folder, name), 'of another profile')
    await rememberUnfinished(data).removeLeftOver()
    expect(await readdir(folder)).toEqual([name])
    expect(await readdir(data)).toEqual([])
  })

  it('leaves nothing at its end, and stays while it is being written', async () => {
    const unfinished = rememberUnfinished(data)
    const path = await unfinished.begin(folder)
    await writeFile(path, 'a part')
    await unfinished.removeLeftOver()
    expect(await readdir(folder)).toEqual([basename(path)])
    await unfinished.end(path)
    expect(await readdir(folder)).toEqual([])
    expect(await readdir(data)).toEqual([])
  })

  it('can be written even if the user data cannot', async () => {
    await writeFile(data, 'not a folder')
    const unfinished = rememberUnfinished(data)
    const path = await unfinished.begin(folder)
    await writeFile(path, 'a part')
    await unfinished.end(path)
    expect(await readdir(folder)).toEqual([])
  })
})

describe('a changed record', () => {
  it('removes nothing but an ordinary file with the name of the record', async () => {
    await writeFile(join(folder, 'other'), 'stays')
    await record(join(folder, 'other'))
    await rememberUnfinished(data).removeLeftOver()
    await record(folder, 'other')
    await rememberUnfinished(data).removeLeftOver()
    await record(`${folder}/other\0`)
    await rememberUnfinished(data).removeLeftOver()
    expect(await readdir(folder)).toEqual(['other'])

    await symlink('other', join(folder, name))
    await record(folder)
    await rememberUnfinished(data).removeLeftOver()
    expect(await readdir(folder)).toEqual([name, 'other'])

    await rm(join(folder, name))
    await mkdir(join(folder, name))
    await record(folder)
    await rememberUnfinished(data).removeLeftOver()
    expect(await readdir(folder)).toEqual([name, 'other'])
  })

  it('waits for a disk that is not attached, and is deleted if it has no path', async () => {
    await record(join(root, 'missing'))
    await rememberUnfinished(data).removeLeftOver()
    expect(await readdir(data)).toEqual([id])
    await record('chosen')
    await rememberUnfinished(data).removeLeftOver()
    expect(await readdir(data)).toEqual([])
  })
})
