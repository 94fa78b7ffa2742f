import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { avoidUnusableTemporaryFolder } from '../../../../../../electron/main/application/startup/temporary-folder'

const isWindows = process.platform === 'win32'
// Not below the system's own folder elsewhere, whose path may be long.
const base = realpathSync(mkdtempSync(isWindows ? join(tmpdir(), 't-') : '/tmp/t-'))
afterAll(() => rmSync(base, { recursive: true }))
const file = join(base, 'file')
writeFileSync(file, '')

// On Windows, Chromium has no socket there.
describe.skipIf(isWindows)('the folder for temporary files', () => {
  it.each([
    base,
    join(base, 'made'),
    join(base, 'made', 'deeper'),
    join(base, 'x'.repeat(Math.max(1, 56 - base.length))),
  ])('is left unchanged: %s', (folder) => {
    const variables = { TMPDIR: folder }
    expect(avoidUnusableTemporaryFolder(variables)).toBeNull()
    expect(variables).toEqual({ TMPDIR: folder })
    expect(readdirSync(folder).filter((name) => name.startsWith('writable-'))).toEqual([])
  })

  it.each([{}, { TMPDIR: '' }])('is left unchanged if the system chooses it: %j', (variables) => {
    expect(avoidUnusableTemporaryFolder(variables)).toBeNull()
  })

  it.each([
    [`/${'x'.repeat(57)}`, 'the path in TMPDIR is too long'],
    [`/${'ü'.repeat(29)}`, 'the path in TMPDIR is too long'],
    [file, 'nothing can be written to the one in TMPDIR (ENOTDIR)'],
    [join(file, 'folder'), 'nothing can be written to the one in TMPDIR (ENOTDIR)'],
  ])("is replaced by the system's if it can't be used: %s", (folder, why) => {
    const variables = { TMPDIR: folder, HOME: '/home/someone' }
    expect(avoidUnusableTemporaryFolder(variables)).toBe(why)
    expect(variables).toEqual({ HOME: '/home/someone' })
  })
})
