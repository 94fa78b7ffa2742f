// Starts the application with the probe in its main process, and synchronises.

import { spawn } from 'node:child_process'
import { _electron, type ElectronApplication, type Page } from '@playwright/test'
import { inProject, projectFolder } from '../../../electron/launcher/base.mjs'
import { variablesFor } from '../../support/main/variables'
import type { SyncState } from '../../../electron/contract/cache'

export const timeLimitMs = 60_000

/** The functions of test/bench/window/probe/main.cjs in the main process. */
interface Probe {
  fetchPages: (request: {
    url: string
    offsets: number[]
    limit: number
    inFlight: number
    file?: string
  }) => Promise<number>
  startDelays: () => void
  stopDelays: () => { p99: number; max: number }
  answerWith: (name: string, text: string) => void
}

/** An application's data folder, and the variables of its display and keyring. */
export interface Place {
  userData: string
  environment: Record<string, string>
}

const probe = inProject('test/bench/window/probe/main.cjs')

/** As root, Chromium doesn't start with its sandbox. */
const sandboxSwitches = process.getuid?.() === 0 ? ['--no-sandbox'] : []

/** Starts Slipway with the probe. */
export function launch(place: Place): Promise<ElectronApplication> {
  return _electron.launch({
    executablePath: process.env.ELECTRON_EXEC_PATH,
    args: ['-r', probe, `--user-data-dir=${place.userData}`, projectFolder],
    cwd: projectFolder,
    env: variablesFor(place.environment),
    timeout: timeLimitMs,
  })
}

/**
 * Starts an application with the probe, without a debugger attached, and resolves with what the probe reports before it
 * quits.
 *
 * @param variables tell the probe what to report
 */
export function reportOf<Report>(
  place: Place,
  folder: string,
  variables: Record<string, string>,
  limitMs = timeLimitMs,
): Promise<Report> {
  const child = spawn(
    process.env.ELECTRON_EXEC_PATH ?? '',
    [...sandboxSwitches, '-r', probe, `--user-data-dir=${place.userData}`, folder],
    {
      cwd: projectFolder,
      env: variablesFor(place.environment, variables),
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(timer)
      const line = output.split('\n').find((text) => text.startsWith('{'))
      if (line) resolve(JSON.parse(line) as Report)
      else reject(new Error('the window did not become ready'))
    })
  })
}

/** Calls the probe in the main process. */
export function inMain<Name extends keyof Probe>(
  app: ElectronApplication,
  name: Name,
  ...input: Parameters<Probe[Name]>
): Promise<Awaited<ReturnType<Probe[Name]>>> {
  return app.evaluate(
    (_electron, [member, parameters]) => {
      const { bench } = globalThis as unknown as { bench: Record<string, (...all: unknown[]) => unknown> }
      return bench[member]!(...parameters)
    },
    [name, input] as const,
  ) as Promise<Awaited<ReturnType<Probe[Name]>>>
}

/** Synchronises an environment. Resolves with how long it took, in milliseconds. */
export async function synchronise(page: Page, environmentId: string): Promise<number> {
  const { ms, last } = await page.evaluate(async (id) => {
    const began = performance.now()
    const last = await new Promise<SyncState['last']>((resolve) => {
      const stop = window.slipway.events['sync.changed']((payload) => {
        const state = JSON.parse(payload) as SyncState
        if (state.environmentId !== id || state.progress !== null || state.last === null) return
        stop()
        resolve(state.last)
      })
      void window.slipway.calls['sync.start'](`bench-${Math.random()}`, { environmentId: id })
    })
    return { ms: performance.now() - began, last }
  }, environmentId)
  if (last?.end !== 'complete') throw new Error(`the synchronisation ended ${last?.end}`)
  return ms
}
