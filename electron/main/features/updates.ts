import { z } from 'zod'
import { type Release, releaseSchema, type UpdatesState } from '@contract/ipc/calls/own'
import { Sequencer, singleFlight } from '../async'
import { errorCode, readJson, type TellSetAside, writeAtomically } from '../files'
import type { HttpClient } from '../http/client'
import type { Log } from '../log'
import { isBefore, readSigned } from './signed-release'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { app, systemPreferences } from 'electron'

export interface UpdatesOptions {
  /** Where to ask, and the publisher's key; null if the build names none. */
  source: { address: string; key: string } | null
  /** The path of `updates.json`. */
  file: string
  /** The running version. */
  version: string
  http: Pick<HttpClient, 'request'>
  log: Pick<Log, 'info' | 'warn'>
  changed: (state: UpdatesState) => void
  setAside: TellSetAside
  report: (error: unknown) => void
}

/** What `updates.json` keeps. Members that are missing are as on the first start. */
const storedUpdatesSchema = z.object({
  isOn: z.boolean().default(true),
  /** When the publisher last answered. */
  askedAt: z.iso.datetime().nullable().default(null),
  /** The newest release that was told. */
  release: releaseSchema.nullable().default(null),
  /** The version whose notice was dismissed. */
  dismissed: releaseSchema.shape.version.nullable().default(null),
})

/** How often the publisher is asked, and how often to check whether that is due, in milliseconds. */
const askEveryMs = 24 * 3_600_000
const tickEveryMs = 3_600_000

/** The largest answer: the notes of a version are short. */
const answerBytes = 64 * 1024

/** The notice of updates: it tells once of each newer version, and never installs one. */
export function createUpdates(options: UpdatesOptions) {
  const { source, file, version, http, log, changed, report } = options
  const sequencer = new Sequencer()
  let stored = readJson(file, (value) => storedUpdatesSchema.parse(value), options.setAside)
  let off: UpdatesState['offBy'] = null
  let command: string | null = null

  function state(): UpdatesState {
    const { isOn, release, dismissed } = stored
    const isTold = isOn && off === null && release !== null && release.version !== dismissed
    return {
      isPossible: source !== null,
      isOn,
      offBy: off,
      newer:
        isTold && isBefore(version, release.version)
          ? { ...release, isUnsupported: isBefore(version, release.minimum), command }
          : null,
    }
  }

  async function keep(change: Partial<typeof stored>): Promise<void> {
    stored = { ...stored, ...change }
    changed(state())
    const text = JSON.stringify(stored, null, 2)
    await sequencer.queue(() => writeAtomically(file, text))
  }

  function isDue(): boolean {
    if (stored.askedAt === null) return true
    return Date.now() - Date.parse(stored.askedAt) >= askEveryMs
  }

  /** Why a signed release must not replace the last one; null if it may: somebody may repeat an old answer. */
  function whyStale({ version: found, date }: Release): string | null {
    const last = stored.release
    if (last && Date.parse(date) < Date.parse(last.date)) return 'older date'
    return isBefore(found, version) || (last && isBefore(found, last.version)) ? 'smaller version' : null
  }

  const ask = singleFlight(async () => {
    off = await offBy()
    if (source === null || off !== null || !stored.isOn || !isDue()) return
    const { origin, pathname } = new URL(source.address)
    const outcome = await http.request({
      // No environment's: without headers, through the system's proxy.
      target: { environmentId: null, baseUrl: origin, headers: {} },
      ...{ method: 'GET', path: pathname, once: true, answerBytes },
    })
    // Offline: it is still due.
    if (!outcome.ok && outcome.failure.sent === 'no') return
    const found = outcome.ok ? readSigned(outcome.value.body, source.key) : { wrong: outcome.failure.code }
    const wrong = 'wrong' in found ? found.wrong : whyStale(found)
    if (wrong !== null) log.warn('updates', 'ignored an answer', { why: wrong })
    const release = wrong === null && !('wrong' in found) ? { release: found } : {}
    await keep({ ...release, askedAt: new Date().toISOString() })
  })

  return {
    state,
    /** Switches it on or off. Rejects as the file system does. */
    async choose(isOn: boolean): Promise<void> {
      await keep({ isOn })
      void ask().catch(report)
    },
    /** Ends the notice of a version for good. Rejects as the file system does. */
    dismiss: (dismissed: string): Promise<void> => keep({ dismissed }),
    /** Asks now, if a day has passed since, and from then on each day. */
    async start(): Promise<void> {
      setInterval(() => void ask().catch(report), tickEveryMs).unref()
      ;[command, off] = await Promise.all([updateCommand(), offBy()])
      if (source !== null && off !== null) log.info('updates', 'switched off', { by: off })
      // What was told before doesn't wait for an answer.
      changed(state())
      await ask()
    },
  }
}

const policyFile = '/etc/slipway/policy.json'
const registryKey = 'HKLM\\Software\\Policies\\Slipway'

/** What switches the notice of updates off, whatever the operator chose; null if nothing does. */
async function offBy(): Promise<'variable' | 'policy' | null> {
  if (process.env['SLIPWAY_NO_UPDATE_CHECK'] === '1') return 'variable'
  return (await isOffByPolicy()) ? 'policy' : null
}

/**
 * The machine's policy: `disableUpdateNotice` in the policy file, `DisableUpdateNotice` in the registry or among the
 * managed preferences. A file that can't be read is one, too: whoever wrote it wanted something.
 */
async function isOffByPolicy(): Promise<boolean> {
  if (process.platform === 'darwin') return systemPreferences.getUserDefault('DisableUpdateNotice', 'boolean')
  if (process.platform === 'win32') {
    const output = await new Promise<string>((resolve) => {
      execFile('reg', ['query', registryKey, '/v', 'DisableUpdateNotice'], (_error, text) => resolve(text))
    })
    return /REG_DWORD\s+0x0*1\s/.test(output)
  }
  try {
    const policy: unknown = JSON.parse(readFileSync(policyFile, 'utf8'))
    return !(policy instanceof Object) || (policy as Record<string, unknown>).disableUpdateNotice === true
  } catch (error) {
    return errorCode(error) !== 'ENOENT'
  }
}

/** The kind of package that it was installed by, such as "deb"; empty for a folder that nothing installed. */
async function readPackageType(): Promise<string> {
  try {
    return (await readFile(join(process.resourcesPath, 'package-type'), 'utf8')).trim()
  } catch {
    return ''
  }
}

/** What installs the newest version, by how this one was installed; null where no command does. */
async function updateCommand(): Promise<string | null> {
  const name = app.getName()
  switch (await readPackageType()) {
    case 'deb':
      return `sudo apt-get update && sudo apt-get install ${name}`
    case 'rpm':
      return `sudo dnf upgrade --refresh ${name}`
    default:
      return null
  }
}
