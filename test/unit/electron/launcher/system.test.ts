import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ensurePrograms, findPostgres } from '../../../../electron/launcher/system'
import { temporaryFolder } from '../../../support/temporary-folder'

// A Debian that lacks a program: `apt-get` and `apt-cache` are stubs.

let folder: string
const inFolder = (...names: string[]): string => join(folder, ...names)

beforeEach(() => {
  folder = temporaryFolder()
  mkdirSync(inFolder('bin'))
  stub('apt-cache', 'printf "x11-thing\\nthingt64\\n"')
  vi.stubEnv('PATH', [inFolder('bin'), '/usr/bin', '/bin'].join(':'))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

function stub(program: string, script: string): void {
  writeFileSync(inFolder('bin', program), `#!/bin/sh\necho "$@" >> '${inFolder('calls')}'\n${script}\n`)
  chmodSync(inFolder('bin', program), 0o755)
}

const ensure = (user: number): Promise<void> => {
  vi.spyOn(process, 'getuid').mockReturnValue(user)
  return ensurePrograms('a test', { 'slipway-thing': 'thing', 'slipway-other': 'x11-thing', sh: 'dash' })
}

describe.runIf(process.platform === 'linux')('missing programs', () => {
  it("are installed as root by Debian's packages, by the names of this release, once", async () => {
    const made = ['slipway-thing', 'slipway-other'].map((name) => inFolder('bin', name)).join(' ')
    stub('apt-get', `case "$*" in *install*) touch ${made};; esac`)
    await ensure(0)
    const calls = readFileSync(inFolder('calls'), 'utf8')
    expect(calls).toMatch(/ update\n/)
    expect(calls).toMatch(/ install -y --no-install-recommends thingt64 x11-thing\n/)
    await ensure(0)
    expect(readFileSync(inFolder('calls'), 'utf8')).toBe(calls)
  })

  it('are requested with the command for users other than root, and nothing is installed', async () => {
    stub('apt-get', '')
    await expect(ensure(1000)).rejects.toMatchObject({
      message: 'Missing on this system (a test): slipway-thing, slipway-other.',
      remedy: 'sudo apt-get update && sudo apt-get install -y --no-install-recommends thingt64 x11-thing',
    })
    expect(existsSync(inFolder('calls')) && readFileSync(inFolder('calls'), 'utf8')).toBe('pkgnames\n')
  })

  it("are reported with apt's reason if they can't be installed", async () => {
    stub('apt-get', 'echo "E: Unable to locate package thing" >&2; exit 100')
    await expect(ensure(0)).rejects.toThrow('Unable to locate package thing')
  })
})

it("finds PostgreSQL's programs where they all are", () => {
  for (const [folder, programs] of [
    ['part', ['initdb', 'postgres']],
    ['whole', ['initdb', 'postgres', 'pg_basebackup']],
  ] as const) {
    mkdirSync(inFolder(folder))
    for (const program of programs) writeFileSync(inFolder(folder, program), '')
  }
  vi.stubEnv('PATH', [inFolder('part'), inFolder('whole')].join(':'))
  expect(findPostgres()).toBe(inFolder('whole'))
})
