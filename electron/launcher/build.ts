import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inProject, lastLines, SetupFailure, withProgress } from './base.mjs'
import { run } from './system'

const serviceConfig = 'electron/launcher/service.vite.config.ts'

/** What the build reads. */
export const buildSources = [
  'electron',
  'src',
  'resources',
  'electron.vite.config.ts',
  serviceConfig,
  'tsconfig.json',
  'package.json',
  'package-lock.json',
]

/** It is inside electron/ but runs unbuilt. */
const launcher = inProject('electron/launcher')

/** Variables whose values the build puts into the program. */
const buildVariables = ['SLIPWAY_UPDATE_ADDRESS', 'SLIPWAY_UPDATE_KEY']

const results = [
  'out/main/index.cjs',
  'out/preload/index.cjs',
  'out/renderer/index.html',
  'out/service/service.cjs',
]

/** The fingerprint of the sources that out/ was built from. */
const record = inProject('out/built-from')

let building: Promise<void> | undefined

/**
 * Builds the application into out/, unless out/ was built from the current sources.
 *
 * @throws {SetupFailure} when the build fails
 */
export const ensureBuild = (): Promise<void> => (building ??= buildChanges())

async function buildChanges(): Promise<void> {
  const current = fingerprint()
  const built = existsSync(record) ? readFileSync(record, 'utf8') : ''
  if (built === current && results.every((path) => existsSync(inProject(path)))) return
  rmSync(record, { force: true })
  await runTool('Building the application', 'electron-vite/bin/electron-vite.js', ['build'])
  const config = inProject(serviceConfig)
  await runTool('Building the service', 'vite/bin/vite.js', ['build', '--config', config])
  writeFileSync(record, current)
}

/** Runs a program of node_modules that builds something. */
export const runTool = (title: string, tool: string, args: readonly string[]): Promise<void> =>
  withProgress(title, async () => {
    const { failed, all } = await run(process.execPath, [inProject('node_modules', tool), ...args], {
      // Vite would build for development if the terminal's NODE_ENV says so.
      env: { NODE_ENV: 'production' },
    })
    if (!failed) return
    throw new SetupFailure(
      `${title} failed.${lastLines(String(all), 30)}`,
      'fix the errors above and run the command again.',
    )
  })

/** A hash of path, size and time of every source file, and of the build's variables. Cheap, and different after every edit. */
function fingerprint(): string {
  const hash = createHash('sha256')
  const add = (path: string): void => {
    const facts = statSync(path, { throwIfNoEntry: false })
    if (path === launcher || !facts) return
    if (facts.isDirectory())
      readdirSync(path)
        .sort()
        .forEach((name) => add(join(path, name)))
    else hash.update(`${path}\0${facts.size}\0${facts.mtimeMs}\n`)
  }
  for (const source of buildSources) add(inProject(source))
  for (const name of buildVariables) hash.update(`${name}=${process.env[name] ?? ''}\n`)
  return hash.digest('hex')
}
