import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SetupFailure } from '../base/progress.mjs'
import { installPackages } from './system-libraries.mjs'

const programs = ['initdb', 'postgres', 'pg_basebackup']

/** Folders with a folder for each installed version: Debian's, Fedora's and Homebrew's. */
const usualParents = ['/usr/lib/postgresql', '/usr/pgsql', '/opt/homebrew/opt', '/usr/local/opt']

/**
 * Finds the folder of PostgreSQL's programs, of the newest version. Debian keeps them out of the PATH.
 *
 * @param {readonly string[]} [parents] folders with a folder for each installed version
 * @returns {string | undefined}
 */
export function findPostgres(parents = usualParents) {
  const versions = parents.flatMap((parent) => {
    const names = existsSync(parent) ? readdirSync(parent) : []
    return names
      .map((name) => ({ version: Number(/^(?:postgresql@?)?(\d*)$/.exec(name)?.[1] ?? -1), parent, name }))
      .filter(({ version }) => version >= 0)
  })
  return [
    ...(process.env.PATH ?? '').split(':'),
    ...versions.sort((a, b) => b.version - a.version).map(({ parent, name }) => join(parent, name, 'bin')),
  ].find((folder) => programs.every((program) => existsSync(join(folder, program))))
}

/**
 * Makes sure that PostgreSQL's programs are there. As root on a Debian-like system, installs them; otherwise the
 * failure says what to do.
 *
 * @param {{ parents?: readonly string[], root?: boolean }} [system] as for `findPostgres`, and whether the user is root
 * @throws {SetupFailure}
 */
export async function ensurePostgres({ parents, root } = {}) {
  if (findPostgres(parents)) return
  if (process.platform === 'linux') await installPackages('PostgreSQL', programs, ['postgresql'], root)
  if (findPostgres(parents)) return
  throw new SetupFailure(
    "PostgreSQL's programs are missing: initdb, postgres, pg_basebackup.",
    'install PostgreSQL 14 or newer (on macOS: brew install postgresql), put its programs into the PATH if they are elsewhere, and run the command again.',
  )
}
