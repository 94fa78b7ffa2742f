import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ensurePostgres, findPostgres } from '../../../../../electron/launcher/setup/postgres.mjs'
import { temporaryFolder } from '../../../../support/temporary-folder'

// A Debian without PostgreSQL: `apt-get` and `apt-cache` are stubs, and so are the folders of installed versions.

let folder: string
const inFolder = (...names: string[]): string => join(folder, ...names)

beforeEach(() => {
  folder = temporaryFolder()
  mkdirSync(inFolder('bin'))
  mkdirSync(inFolder('installed'))
  stub('apt-cache', 'echo postgresql')
  // Without PostgreSQL's programs, wherever this machine has them.
  vi.stubEnv('PATH', [inFolder('bin'), '/usr/bin', '/bin'].join(':'))
})
afterEach(() => {
  vi.unstubAllEnvs()
})

function stub(program: string, script: string): void {
  writeFileSync(inFolder('bin', program), `#!/bin/sh\necho "$@" >> '${inFolder('calls')}'\n${script}\n`)
  chmodSync(inFolder('bin', program), 0o755)
}

const installs = (...programs: string[]): string =>
  `case "$*" in *install*) for version in 9 15; do
     mkdir -p '${inFolder('installed')}'/$version/bin
     for program in ${programs.join(' ')}; do touch '${inFolder('installed')}'/$version/bin/$program; done
   done;; esac`

const ensure = (root: boolean): Promise<void> => ensurePostgres({ parents: [inFolder('installed')], root })

describe.runIf(process.platform === 'linux')('PostgreSQL for the tests', () => {
  it("is installed as root by Debian's package, once, and the newest version is taken", async () => {
    stub('apt-get', installs('initdb', 'postgres', 'pg_basebackup'))
    await ensure(true)
    const calls = readFileSync(inFolder('calls'), 'utf8')
    expect(calls).toMatch(/ update\n/)
    expect(calls).toMatch(/ install -y --no-install-recommends postgresql\n/)
    expect(findPostgres([inFolder('installed')])).toBe(inFolder('installed', '15', 'bin'))
    await ensure(true)
    expect(readFileSync(inFolder('calls'), 'utf8')).toBe(calls)
  })

  it('is requested with the command for users other than root, and nothing is installed', async () => {
    stub('apt-get', installs('initdb', 'postgres', 'pg_basebackup'))
    await expect(ensure(false)).rejects.toMatchObject({
      message: expect.stringContaining('initdb, postgres, pg_basebackup') as string,
      remedy: expect.stringContaining('sudo apt-get update && sudo apt-get install -y') as string,
    })
    expect(findPostgres([inFolder('installed')])).toBeUndefined()
  })

  it("is reported as missing if the package can't be installed or lacks what is needed", async () => {
    stub('apt-get', 'echo "E: Unable to locate package postgresql" >&2; exit 100')
    await expect(ensure(true)).rejects.toThrow('Unable to locate package postgresql')
    stub('apt-get', installs('psql'))
    await expect(ensure(true)).rejects.toMatchObject({
      remedy: expect.stringContaining('install PostgreSQL 14 or newer') as string,
    })
  })
})
