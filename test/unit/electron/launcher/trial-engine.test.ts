import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'

// A machine that has run Slipway before has the engine in its cache, so no other test fetches it.
it('is fetched into an empty cache, and runs', { timeout: 120_000 }, async ({ skip }) => {
  const cache = mkdtempSync(join(tmpdir(), 'slipway-empty-cache-'))
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }))
  vi.stubEnv('XDG_CACHE_HOME', cache)
  vi.resetModules()
  onTestFinished(() => void vi.unstubAllEnvs())
  const { ensureTrialEngine, trialEngine } = await import('../../../../electron/launcher/trial-engine')
  skip(!trialEngine.fitsThisMachine, 'the trial engine is for Linux x64')
  const program = await ensureTrialEngine()
  const env = { PATH: process.env.PATH, ELECTRON_RUN_AS_NODE: '1' }
  const version = execFileSync(program, ['-p', 'process.versions.electron'], { env, encoding: 'utf8' })
  expect(version.trim()).toBe(trialEngine.version)
})
