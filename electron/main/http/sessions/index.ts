import { randomUUID } from 'node:crypto'
import { type NetworkSettings, systemNetwork } from '@contract'
import { app, type Session, session } from 'electron'
import type { WhyNotSent } from '../exchange/result'
import { normalizeHost } from '../certificates/host-name'
import { proxyConfig } from './proxy'
import { type SessionSettings, settingsKey } from './settings'
import { NotSent } from '../exchange'
import { type Refusal, decide } from '../trust'

/** An Electron session that is set up for the settings of an environment and lent until it is released. */
export interface PreparedSession {
  session: Session
  /**
   * The last refused certificate of each host (`normalizeHost`). Chromium remembers its verdict and doesn't ask again,
   * so the certificate must be remembered here.
   */
  refusals: ReadonlyMap<string, Refusal>
  /** The hosts with a certificate that was accepted at least once. */
  accepted: ReadonlySet<string>
  /**
   * Why nothing more may be sent over the session; null if it may. A released session may belong to another caller. If
   * the network process that it was set up in has ended, its certificate rule is gone.
   */
  endedBy: () => WhyNotSent | null
  /** Delays the next use of the session until `use` settles, although it was released. */
  keepFor: (use: Promise<unknown>) => void
  /** Returns the session, which is then cleared for its next use. */
  release: () => void
}

/**
 * `soft` is how many sessions are created before an idle one is set up for another host, `most` is the limit. Electron
 * never frees a session, and each takes 0.7 MB. A page chooses the settings of a draft's check, so checks have sessions
 * of their own, separate from those of environments and creations. The tests of PAC scripts (`proxy-scripts.ts`) and of
 * the network process (`stuck-network.ts`) have theirs too: one each, and a second while the first is cleared.
 */
export const sessionLimits = {
  scripts: { soft: 1, max: 2 },
  network: { soft: 1, max: 2 },
  checks: { soft: 20, max: 100 },
  environments: { soft: 60, max: 300 },
} as const

/**
 * How many idle sessions may know a host before one that refused its certificate is lent again for the same settings.
 * Chromium then refuses the certificate from memory. Without this limit, calls that cost nothing could use up all
 * sessions.
 */
export const maxForRefusedHost = 10

/** What sessions are for. */
export type SessionPurpose = keyof typeof sessionLimits

/** Electron's name for Chromium's network process, which has all sessions. */
export const networkProcess = 'network.mojom.NetworkService'

/** How many network processes have ended. The sessions of an ended process can't be used any more. */
let ended = 0

/** A session that Slipway made. */
class OwnSession {
  readonly session: Session
  readonly refusals = new Map<string, Refusal>()
  readonly accepted = new Set<string>()
  /** The `settingsKey` of the settings that it is set up for; empty if it isn't. */
  #key = ''
  /** Every host that Chromium may remember something about in this session. */
  readonly #hosts = new Set<string>()
  readonly #madeIn = ended
  /** Whether a host showed several different certificates that were refused. */
  #showedSeveral = false
  #trust: { rule: NetworkSettings['trust']; host: string } | null = null

  constructor() {
    // Without "persist:", nothing is written to the disk.
    this.session = session.fromPartition(`environment-${randomUUID()}`)
    this.session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
    this.session.setPermissionCheckHandler(() => false)
    // Otherwise every session downloads a dictionary from the Internet, even through the environment's proxy. Disabling
    // the spell checker doesn't prevent that.
    this.session.setSpellCheckerLanguages([])
    this.session.setCertificateVerifyProc((request, answer) => {
      if (this.#trust === null) return answer(-2)
      const { verdict, refusal } = decide(this.#trust.rule, this.#trust.host, request)
      const shownBy = normalizeHost(request.hostname)
      this.#hosts.add(shownBy)
      const before = this.refusals.get(shownBy)?.certificate.fingerprint
      this.#showedSeveral ||=
        refusal !== null && ![undefined, refusal.certificate.fingerprint].includes(before)
      if (refusal) this.refusals.set(shownBy, refusal)
      else this.accepted.add(shownBy)
      answer(verdict)
    })
  }

  /** Whether the network process that it was created in still runs, with its certificate rule. */
  get isAlive(): boolean {
    return this.#madeIn === ended
  }

  /** Whether it can be used for these settings as it is. */
  isFor(key: string): boolean {
    return this.#key === key && this.refusals.size === 0
  }

  /**
   * Whether it is set up for these settings and refused one certificate. If Chromium refuses from memory, it was that
   * one.
   */
  refusesFor(key: string): boolean {
    return this.#key === key && !this.#showedSeveral
  }

  /** Whether it isn't set up, because Electron rejected the settings. */
  get isFree(): boolean {
    return this.#key === ''
  }

  /** Whether Chromium remembers nothing in it about a host, or a domain that the host is in. */
  isStrangerTo(host: string): boolean {
    return [...this.#hosts].every((known) => known !== host && !host.endsWith(`.${known}`))
  }

  /** Sets it up for other settings. If Electron rejects them, rejects too, and the session can't be used. */
  async setUp(settings: SessionSettings, key: string): Promise<void> {
    this.#key = ''
    this.#trust = { rule: settings.network.trust, host: hostOf(settings) }
    // Chromium still refuses from memory, but that doesn't concern other hosts.
    this.refusals.clear()
    this.#showedSeveral = false
    await this.session.setProxy(proxyConfig(settings.network.proxy))
    // Electron doesn't wait until Chromium's network process has the proxy (electron/electron#26166): of 180 starts,
    // the first request of 6 bypassed it. The process answers this once it has.
    await this.session.forceReloadProxyConfig()
    // Over plain HTTP, Chromium has no verdict on a certificate to remember, and no HSTS.
    if (isSecure(settings)) this.#hosts.add(this.#trust.host)
    this.#key = key
  }

  /** Clears it for its next use. */
  async clear(): Promise<void> {
    const own = this.session
    await Promise.all([own.clearStorageData(), own.clearCache(), own.clearAuthCache()])
    await own.closeAllConnections()
  }
}

/**
 * The sessions for one purpose. A session that has seen a host is never used for it with other settings, because
 * Chromium remembers the verdict on its certificate as long as the session lives.
 */
class SessionPool {
  readonly #limits: (typeof sessionLimits)[SessionPurpose]
  /** Cleared sessions that wait for their next use, the least recently used first. */
  #idle: OwnSession[] = []
  #made = 0

  constructor(purpose: SessionPurpose) {
    this.#limits = sessionLimits[purpose]
  }

  /** Lends a session. Rejects with `NotSent` if there are too many, or it can't be set up. */
  async lend(settings: SessionSettings): Promise<PreparedSession> {
    const key = settingsKey(settings)
    const host = hostOf(settings)
    const takeRefusing = (): OwnSession | null => this.#take((one) => one.refusesFor(key))
    const known = this.#idle.filter((one) => !one.isStrangerTo(host)).length
    const same = this.#take((one) => one.isFor(key)) ?? (known < maxForRefusedHost ? null : takeRefusing())
    const other = same ? null : (this.#takeOther(host) ?? this.#make())
    const own = same ?? other ?? takeRefusing()
    if (own === null) throw new NotSent('no-session')
    if (own === other) {
      try {
        await own.setUp(settings, key)
      } catch {
        this.#putBack(own)
        throw new NotSent(own.isAlive ? 'no-setup' : 'network-process')
      }
    }
    let isReleased = false
    const uses: Promise<unknown>[] = []
    return {
      session: own.session,
      refusals: own.refusals,
      accepted: own.accepted,
      endedBy: () => (own.isAlive ? (isReleased ? 'environment-changed' : null) : 'network-process'),
      keepFor: (use) => void uses.push(use),
      release: () => {
        if (isReleased) return
        isReleased = true
        // A session that can't be cleared is never used again.
        Promise.all([own.clear(), Promise.allSettled(uses)]).then(
          () => this.#putBack(own),
          () => undefined,
        )
      },
    }
  }

  /** Forgets all sessions. */
  abandon(): void {
    this.#idle = []
    this.#made = 0
  }

  #putBack(own: OwnSession): void {
    if (own.isAlive) this.#idle.push(own)
  }

  /** Takes the first idle session that fits. */
  #take(fits: (one: OwnSession) => boolean): OwnSession | null {
    const index = this.#idle.findIndex(fits)
    return index < 0 ? null : this.#idle.splice(index, 1)[0]!
  }

  /** Takes an idle session that can be set up for a host, if no new one should be created. */
  #takeOther(host: string): OwnSession | null {
    const mayTakeAny = this.#made >= this.#limits.soft
    return this.#take((one) => one.isStrangerTo(host) && (mayTakeAny || one.isFree))
  }

  /** Creates a session; null if there are too many. */
  #make(): OwnSession | null {
    if (this.#made >= this.#limits.max) return null
    this.#made += 1
    return new OwnSession()
  }
}

const pools: Record<SessionPurpose, SessionPool> = {
  scripts: new SessionPool('scripts'),
  network: new SessionPool('network'),
  checks: new SessionPool('checks'),
  environments: new SessionPool('environments'),
}

/** The session of each environment and what it is set up for. */
const ofEnvironments = new Map<string, { key: string; edition: number; prepared: Promise<PreparedSession> }>()

/**
 * Forgets every session when Chromium's network process ends. Their certificate rules end with it, and Electron sends
 * nothing over them any more.
 */
export function watchNetworkProcess(): void {
  app.on('child-process-gone', (_event, { serviceName }) => {
    if (serviceName !== networkProcess) return
    ended += 1
    for (const pool of Object.values(pools)) pool.abandon()
    ofEnvironments.clear()
  })
}

/**
 * The session of an environment, which stays the same as long as the settings do. Rejects with `NotSent` if there are
 * too many sessions, or it can't be set up; then the next call tries again. Also rejects if the settings are of an
 * earlier edition (`HttpTarget`) than the session's: work over many pages may still have those.
 */
export async function sessionOf(
  environmentId: string,
  origin: string,
  network = systemNetwork,
  edition = 0,
): Promise<PreparedSession> {
  const key = settingsKey({ network, origin })
  const known = ofEnvironments.get(environmentId)
  if (known && edition < known.edition) throw new NotSent('environment-changed')
  if (known?.key === key) {
    known.edition = edition
    return await known.prepared
  }
  const prepared = pools.environments.lend({ network, origin })
  ofEnvironments.set(environmentId, { key, edition, prepared })
  if (known) void giveBack(known.prepared)
  try {
    return await prepared
  } catch (error) {
    if (ofEnvironments.get(environmentId)?.prepared === prepared) ofEnvironments.delete(environmentId)
    throw error
  }
}

/** A session that no other caller uses until it is released. Rejects like `sessionOf`. */
export async function throwAwaySession(
  purpose: SessionPurpose,
  origin: string,
  network = systemNetwork,
): Promise<PreparedSession> {
  return await pools[purpose].lend({ network, origin })
}

/** Ends the connections of an environment's session and clears its data. */
export async function forgetSession(environmentId: string): Promise<void> {
  const known = ofEnvironments.get(environmentId)
  ofEnvironments.delete(environmentId)
  if (known) await giveBack(known.prepared)
}

/** Releases a session once it has been lent, if it ever is. */
export async function giveBack(prepared: Promise<PreparedSession>): Promise<void> {
  await prepared.then(
    ({ release }) => release(),
    () => undefined,
  )
}

const hostOf = ({ origin }: SessionSettings): string => normalizeHost(new URL(origin).hostname)

const isSecure = ({ origin }: SessionSettings): boolean => new URL(origin).protocol === 'https:'
