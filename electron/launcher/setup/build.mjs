import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inProject } from '../base/paths.mjs'
import { lastLines, run } from '../base/processes.mjs'
import { SetupFailure, withProgress } from '../base/progress.mjs'

/** What the build reads. The launcher is inside electron/ but runs unbuilt. */
export const buildSources = [
  'electron',
  'src',
  'resources',
  'electron.vite.config.ts',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
]

/** Variables whose values the build puts into the program. */
const buildVariables = ['SLIPWAY_UPDATE_ADDRESS', 'SLIPWAY_UPDATE_KEY']
const notBuilt = inProject('electron/launcher')

const results = ['out/main/index.cjs', 'out/preload/index.cjs', 'out/renderer/index.html']

/** The fingerprint of the sources that out/ was built from. */
const record = inProject('out/built-from')

/**
 * Builds the application into out/, unless out/ was built from the current sources.
 *
 * @throws {SetupFailure} when the build fails
 */
export async function ensureBuild() {
  const current = fingerprint()
  if (results.every((path) => existsSync(inProject(path))) && recorded() === current) return
  rmSync(record, { force: true })
  await withProgress('Building the application', async () => {
    const { status, output } = await run(
      process.execPath,
      [inProject('node_modules/electron-vite/bin/electron-vite.js'), 'build'],
      // Vite would build for development if the terminal's NODE_ENV says so.
      { env: { ...process.env, NODE_ENV: 'production' } },
    )
    if (status !== 0) {
      throw new SetupFailure(
        `The build ended with status ${status}.${lastLines(output, 30)}`,
        'fix the errors above and run the command again.',
      )
    }
    writeFileSync(record, current)
  })
}

function recorded() {
  return existsSync(record) ? readFileSync(record, 'utf8') : ''
}

/**
 * A hash of path, size and modification time of every source file, and of the build's variables. Cheap, and different after every edit.
 *
 * @returns {string}
 */
function fingerprint() {
  const hash = createHash('sha256')
  for (const source of buildSources) add(inProject(source))
  for (const name of buildVariables) hash.update(`${name}=${process.env[name] ?? ''}\n`)
  return hash.digest('hex')

  /** @param {string} path */
  function add(path) {
    if (path === notBuilt) return
    const facts = statSync(path, { throwIfNoEntry: false })
    if (!facts) return
    if (facts.isDirectory()) {
      for (const name of readdirSync(path).sort()) add(join(path, name))
    } else {
      hash.update(`${path}\0${facts.size}\0${facts.mtimeMs}\n`)
    }
  }
}
