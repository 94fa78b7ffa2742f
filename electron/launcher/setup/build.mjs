import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inProject } from '../base/paths.mjs'
import { lastLines, run } from '../base/processes.mjs'
import { SetupFailure, step } from '../base/progress.mjs'

/** What the build reads. The launcher is inside electron/ but runs unbuilt. */
const sources = [
  'electron',
  'src',
  'resources',
  'electron.vite.config.ts',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
]
const notBuilt = inProject('electron/launcher')

const results = ['out/main/index.cjs', 'out/preload/index.cjs', 'out/renderer/index.html']

/** The fingerprint of the sources that out/ was built from. */
const record = inProject('out/built-from')

/**
 * Builds the application into out/ unless that was built from the present sources.
 *
 * @throws {SetupFailure} when the build fails
 */
export async function ensureBuild() {
  const present = fingerprint()
  if (results.every((path) => existsSync(inProject(path))) && recorded() === present) return
  rmSync(record, { force: true })
  await step('Building the application', async () => {
    const { status, output } = await run(
      process.execPath,
      [inProject('node_modules/electron-vite/bin/electron-vite.js'), 'build'],
      // Vite would build for development where the terminal's NODE_ENV says so.
      { env: { ...process.env, NODE_ENV: 'production' } },
    )
    if (status !== 0) {
      throw new SetupFailure(
        `The build ended with status ${status}.${lastLines(output, 30)}`,
        'mend what the build says above and run the command again.',
      )
    }
    writeFileSync(record, present)
  })
}

function recorded() {
  return existsSync(record) ? readFileSync(record, 'utf8') : ''
}

/**
 * Path, size and time of change of every source file: cheap to take, and different after every edit.
 *
 * @returns {string}
 */
function fingerprint() {
  const hash = createHash('sha256')
  for (const source of sources) add(inProject(source))
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
