import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import { inProject } from '../../electron/launcher/base.mjs'
import { trialEngine } from '../../electron/launcher/trial-engine'

const run = promisify(execFile)

// A machine that has run Slipway before has the engine in its cache, so no other test fetches it.
test('the trial engine is fetched into an empty cache, and runs', async () => {
  test.skip(!trialEngine.fitsThisMachine, 'the trial engine is for Linux x64')
  const cache = await mkdtemp(join(tmpdir(), 'slipway-empty-cache-'))
  const env = { ...process.env, XDG_CACHE_HOME: cache, ELECTRON_RUN_AS_NODE: '1' }
  const fetching =
    "import('./electron/launcher/trial-engine.ts').then((engine) => engine.ensureTrialEngine()).then(console.log)"
  const fetched = await run(
    process.execPath,
    [inProject('node_modules/tsx/dist/cli.mjs'), '--eval', fetching],
    {
      cwd: inProject('.'),
      env,
    },
  )
  const program = fetched.stdout.trim().split('\n').at(-1)!
  expect(program.startsWith(cache)).toBe(true)
  const { stdout } = await run(program, ['-p', 'process.versions.electron'], { env })
  expect(stdout.trim()).toBe(trialEngine.version)
  await rm(cache, { recursive: true, force: true })
})
