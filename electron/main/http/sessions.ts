import { createHash, randomUUID } from 'node:crypto'
import { type NetworkSettings, systemNetwork } from '@contract'
import { type Session, session } from 'electron'
import { proxyConfig } from './proxy'
import { type Refusal, decide } from './trust'

/** An Electron session that is set up for the settings of an environment. */
export interface PreparedSession {
  session: Session
  /** The last certificate that each host showed and that was refused. Chromium remembers a verdict; so does this. */
  refusals: ReadonlyMap<string, Refusal>
  /** The hosts to which a connection was ever allowed, by its certificate. */
  accepted: ReadonlySet<string>
  /** Clears it for its next use. */
  release: () => void
}

/** What a session is set up for. */
export interface SessionSettings {
  network: NetworkSettings
  /** Host of the base URL, to which alone the environment's own trust belongs. */
  host: string
}

/**
 * Sessions that are cleared and wait for their next use, by what they are set up for: Electron never frees one. One
 * is never used for other settings, because Chromium remembers the verdict on a certificate for as long as the
 * session lives.
 */
const idle = new Map<string, PreparedSession[]>()

/** The session of each environment and what it is set up for. */
const ofEnvironments = new Map<string, { key: string; prepared: Promise<PreparedSession> }>()

/** The session of an environment: the same one for as long as its settings are the same. */
export async function sessionOf(
  environmentId: string,
  host: string,
  network = systemNetwork,
): Promise<PreparedSession> {
  const key = keyOf({ network, host })
  const known = ofEnvironments.get(environmentId)
  if (known?.key === key) return await known.prepared
  const prepared = take({ network, host }, key)
  ofEnvironments.set(environmentId, { key, prepared })
  void known?.prepared.then((before) => before.release())
  return await prepared
}

/** A session that nobody else uses until it is released. */
export function throwAwaySession(host: string, network = systemNetwork): Promise<PreparedSession> {
  return take({ network, host }, keyOf({ network, host }))
}

/** Ends the connections of an environment's session and clears what it kept. */
export async function forgetSession(environmentId: string): Promise<void> {
  const known = ofEnvironments.get(environmentId)
  ofEnvironments.delete(environmentId)
  if (known) (await known.prepared).release()
}

function keyOf(settings: SessionSettings): string {
  // A hash, since a proxy's password is part of it.
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex')
}

async function take(settings: SessionSettings, key: string): Promise<PreparedSession> {
  return idle.get(key)?.pop() ?? (await prepare(settings, key))
}

async function prepare({ network, host }: SessionSettings, key: string): Promise<PreparedSession> {
  // Without "persist:" nothing of it goes to the disk.
  const own = session.fromPartition(`environment-${randomUUID()}`)
  own.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  own.setPermissionCheckHandler(() => false)
  // Every session would fetch a dictionary from the Internet, through the environment's proxy as well; to switch
  // the spell checker off is not enough.
  own.setSpellCheckerLanguages([])
  const refusals = new Map<string, Refusal>()
  const accepted = new Set<string>()
  own.setCertificateVerifyProc((request, answer) => {
    const { verdict, refusal } = decide(network.trust, host, request)
    if (refusal) refusals.set(request.hostname, refusal)
    else accepted.add(request.hostname)
    answer(verdict)
  })
  await own.setProxy(proxyConfig(network.proxy))
  const prepared: PreparedSession = {
    session: own,
    refusals,
    accepted,
    release() {
      void clear(own).then(() => {
        // Chromium would go on refusing by its memory, and could not be told from something that happens later.
        if (refusals.size === 0) idle.set(key, [...(idle.get(key) ?? []), prepared])
      })
    },
  }
  return prepared
}

async function clear(which: Session): Promise<void> {
  await Promise.all([which.clearStorageData(), which.clearCache(), which.clearAuthCache()])
  await which.closeAllConnections()
}
