import { createHash, randomUUID } from 'node:crypto'
import { type NetworkSettings, systemNetwork } from '@contract'
import { app, type Session, session } from 'electron'
import { comparableHost } from './host-name'
import { proxyConfig } from './proxy'
import { type Refusal, decide } from './trust'

/** An Electron session that is set up for the settings of an environment. */
export interface PreparedSession {
  session: Session
  /**
   * The last certificate that each host (`comparableHost`) showed and that was refused. Chromium remembers a verdict; so
   * does this.
   */
  refusals: ReadonlyMap<string, Refusal>
  /** The hosts to which a connection was ever allowed, by its certificate. */
  accepted: ReadonlySet<string>
  /** Clears it for its next use. */
  release: () => void
}

/** What a session is set up for. */
export interface SessionSettings {
  network: NetworkSettings
  /** Of the base URL: what a service says of an origin, such as that it wants TLS, holds for no other one. */
  origin: string
}

/** A session that Slipway made. */
interface OwnSession extends PreparedSession {
  /** What it is set up for, as `keyOf` writes it. */
  key: string
  /** Every host that it was used for. */
  hosts: Set<string>
  setUp: (settings: SessionSettings, key: string) => Promise<OwnSession>
}

/**
 * So many sessions are made before one is set up anew for another host, and so many at all. Electron never frees one,
 * and each takes 0.7 MB.
 */
export const sessionLimits = { usual: 60, most: 400 } as const

/**
 * Sessions that are cleared and wait for their next use, the longest unused first. For a host that one was used for it is
 * never used with other settings, because Chromium remembers the verdict on a certificate for as long as the session
 * lives.
 */
let idle: OwnSession[] = []

/** The session of each environment and what it is set up for. */
const ofEnvironments = new Map<string, { key: string; prepared: Promise<OwnSession> }>()

/** How many sessions were made. */
let made = 0

/** Counts the network processes that have ended: what was set up in one is gone. */
let ended = 0

/** Forgets every session when Chromium's network process ends, with which their rules for certificates end. */
export function watchNetworkProcess(): void {
  app.on('child-process-gone', (_event, { serviceName }) => {
    if (serviceName !== 'network.mojom.NetworkService') return
    ended += 1
    idle = []
    ofEnvironments.clear()
  })
}

/**
 * The session of an environment: the same one for as long as its settings are the same. Rejects where it can't be set up;
 * the next call tries again.
 */
export async function sessionOf(
  environmentId: string,
  origin: string,
  network = systemNetwork,
): Promise<PreparedSession> {
  const key = keyOf({ network, origin })
  const known = ofEnvironments.get(environmentId)
  if (known?.key === key) return await known.prepared
  const prepared = take({ network, origin }, key)
  ofEnvironments.set(environmentId, { key, prepared })
  // One that could not be set up has nothing to release.
  known?.prepared.then(
    (before) => before.release(),
    () => undefined,
  )
  try {
    return await prepared
  } catch (error) {
    if (ofEnvironments.get(environmentId)?.prepared === prepared) ofEnvironments.delete(environmentId)
    throw error
  }
}

/** A session that nobody else uses until it is released. */
export function throwAwaySession(origin: string, network = systemNetwork): Promise<PreparedSession> {
  return take({ network, origin }, keyOf({ network, origin }))
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

async function take(settings: SessionSettings, key: string): Promise<OwnSession> {
  const same = taken((one) => one.key === key && one.refusals.size === 0)
  if (same) return same
  const host = hostOf(settings)
  const other = made < sessionLimits.usual ? null : taken(({ hosts }) => isStranger(hosts, host))
  if (other) return await other.setUp(settings, key)
  if (made >= sessionLimits.most) throw new Error('Too many network sessions were made.')
  return await make().setUp(settings, key)
}

/** Takes the first idle session that fits. */
function taken(fits: (one: OwnSession) => boolean): OwnSession | null {
  const index = idle.findIndex(fits)
  return index < 0 ? null : idle.splice(index, 1)[0]!
}

/** Whether nothing that a session learnt of its hosts is about a host, nor about a domain that it is in. */
const isStranger = (hosts: ReadonlySet<string>, host: string): boolean =>
  [...hosts].every((known) => known !== host && !host.endsWith(`.${known}`))

const hostOf = ({ origin }: SessionSettings): string => comparableHost(new URL(origin).hostname)

function make(): OwnSession {
  made += 1
  // Without "persist:" nothing of it goes to the disk.
  const own = session.fromPartition(`environment-${randomUUID()}`)
  own.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  own.setPermissionCheckHandler(() => false)
  // Every session would fetch a dictionary from the Internet, through the environment's proxy as well; to switch
  // the spell checker off is not enough.
  own.setSpellCheckerLanguages([])
  const refusals = new Map<string, Refusal>()
  const accepted = new Set<string>()
  const madeIn = ended
  let trust: { rule: NetworkSettings['trust']; host: string }
  own.setCertificateVerifyProc((request, answer) => {
    const { verdict, refusal } = decide(trust.rule, trust.host, request)
    const shownBy = comparableHost(request.hostname)
    prepared.hosts.add(shownBy)
    if (refusal) refusals.set(shownBy, refusal)
    else accepted.add(shownBy)
    answer(verdict)
  })
  const prepared: OwnSession = {
    session: own,
    refusals,
    accepted,
    key: '',
    hosts: new Set(),
    async setUp(settings, key) {
      trust = { rule: settings.network.trust, host: hostOf(settings) }
      prepared.key = key
      prepared.hosts.add(trust.host)
      // Chromium goes on refusing by its memory, which for other hosts says nothing.
      refusals.clear()
      await own.setProxy(proxyConfig(settings.network.proxy))
      return prepared
    },
    release() {
      void clear(own).then(() => {
        if (madeIn === ended) idle.push(prepared)
      })
    },
  }
  return prepared
}

async function clear(which: Session): Promise<void> {
  await Promise.all([which.clearStorageData(), which.clearCache(), which.clearAuthCache()])
  await which.closeAllConnections()
}
