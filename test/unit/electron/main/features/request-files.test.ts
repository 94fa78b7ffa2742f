import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRequestFiles } from '../../../../../electron/main/features/request-files'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-request-file-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const opening = (path: string | null) =>
  createRequestFiles({ askWhich: async () => path, askWhere: async () => null })['requestFile.open'](
    {},
    new AbortController().signal,
  )

describe('a file with a request', () => {
  it("is refused with a message if it isn't text or can't be read", async () => {
    const path = join(folder, 'picture.json')
    await writeFile(path, Buffer.from([0xff, 0xfe, 0x00]))
    expect(await opening(path)).toMatchObject({ ok: false, failure: { code: 'invalid-input' } })
    for (const unreadable of [join(folder, 'missing.json'), folder]) {
      const outcome = await opening(unreadable)
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'internal', retryable: true } })
    }
  })

  it('is saved where the operator chooses, with a name that every file system accepts', async () => {
    const suggested: string[] = []
    const path = join(folder, 'saved.json')
    const save = (baseName: string, where: string | null) =>
      createRequestFiles({
        askWhich: async () => null,
        askWhere: async (_kind, name) => {
          suggested.push(name)
          return where
        },
      })['requestFile.save']({ baseName, extension: 'json', text: '{}\n' }, new AbortController().signal)
    expect(await save('support-agent', path)).toEqual({ ok: true, value: { path } })
    expect(await readFile(path, 'utf8')).toBe('{}\n')
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await save('../a/b:c', null)).toEqual({ ok: true, value: { path: null } })
    expect(await save('', folder)).toMatchObject({ ok: false, failure: { code: 'internal' } })
    expect(suggested).toEqual(['support-agent.json', 'a-b-c.json', 'request.json'])
  })
})
