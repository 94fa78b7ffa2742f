import { randomUUID } from 'node:crypto'
import { type NetworkSettings, systemNetwork } from '@contract'
import { app, type Session, session } from 'electron'
import type { WhyNotSent } from '../exchange/result'
import { normalizeHost } from '../../certificates/host-name'
import { proxyConfig } from './proxy'
import { type SessionSettings, settingsKey } from './settings'
import { NotSent } from '../exchange'
import { type Refusal, decide } from '../trust'

/** An Electron session that is set up for the settings of an environment, for as long as it is lent. */
export interface PreparedSession {
  session: Session
  /**
   * The last certificate that each host (`normalizeHost`) showed and that was refused. Chromium remembers a verdict; so
   * does this.
   */
  refusals: ReadonlyMap<string, Refusal>
  /** The hosts to which a connection was ever allowed, by its certificate. */
  accepted: ReadonlySet<string>
  /**
   * Why nothing may be sent over it any more: released, it may be somebody else's, and without the network process that
   * it was set up in, its rule for certificates is gone. Null while it may.
   */
  endedBy: () => WhyNotSent | null
  /** Keeps it from its next use until something has ended that goes on in it after it was given back. */
  keepFor: (use: Promise<unknown>) => void
  /** Gives it back, to be cleared for its next use. */
  release: () => void
}

/**
 * So many sessions are made before one is set up anew for another host, and so many at all. Electron never frees one,
 * and each takes 0.7 MB. Checks of drafts, for which a page chooses everything, never take those of environments and
 * creations. The looks whether PAC scripts run (`proxy-scripts.ts`) and whether the network process answers
 * (`stuck-network.ts`) have their own: one each, and another while that is cleared.
 */
export const sessionLimits = {
  scripts: { usual: 1, most: 2 },
  network: { usual: 1, most: 2 },
  checks: { usual: 20, most: 100 },
  environments: { usual: 60, most: 300 },
} as const

/** What sessions are for. */
export type SessionPurpose = keyof typeof sessionLimits

/** The process of Chromium's in which all of them are, as Electron names it. */
export const networkProcess = 'network.mojom.NetworkService'

/** Counts the network processes that have ended: no session that was made in one is of use any more. */
let ended = 0

/** A session that Slipway made. */
class OwnSession {
  readonly session: Session
  readonly refusals = new Map<string, Refusal>()
  readonly accepted = new Set<string>()
  /** What it is set up for, as `settingsKey`. */
  #key = ''
  /** Every host of which Chromium may remember something in it. */
  readonly #hosts = new Set<string>()
  readonly #madeIn = ended
  /** Whether a host showed several certificates that were refused. */
  #showedSeveral = false
  #trust: { rule: NetworkSettings['trust']; host: string } | null = null

  constructor() {
    // Without "persist:" nothing of it goes to the disk.
    this.session = session.fromPartition(`environment-${randomUUID()}`)
    this.session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
    this.session.setPermissionCheckHandler(() => false)
    // Every session would fetch a dictionary from the Internet, through the environment's proxy as well; to switch
    // the spell checker off is not enough.
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

  /** Whether the network process that it was made in still runs, with its rule for certificates. */
  get isAlive(): boolean {
    return this.#madeIn === ended
  }

  /** Whether it can be used for settings as it is. */
  isFor(key: string): boolean {
    return this.#key === key && this.refusals.size === 0
  }

  /** Whether it is set up for settings and refused a certificate, which it shows should Chromium refuse by its memory. */
  refusesFor(key: string): boolean {
    return this.#key === key && !this.#showedSeveral
  }

  /** Whether it is set up for nothing, since Electron did not take the settings. */
  get isFree(): boolean {
    return this.#key === ''
  }

  /** Whether nothing that Chromium remembers in it is about a host, nor about a domain that it is in. */
  isStrangerTo(host: string): boolean {
    return [...this.#hosts].every((known) => known !== host && !host.endsWith(`.${known}`))
  }

  /** Sets it up for other settings. Rejects where Electron does not take them; then it is set up for none. */
  async setUp(settings: SessionSettings, key: string): Promise<void> {
    this.#key = ''
    this.#trust = { rule: settings.network.trust, host: hostOf(settings) }
    // Chromium goes on refusing by its memory, which for other hosts says nothing.
    this.refusals.clear()
    this.#showedSeveral = false
    await this.session.setProxy(proxyConfig(settings.network.proxy))
    // Over plain HTTP there is no verdict on a certificate that could be remembered, nor what only TLS may say.
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
 * The sessions for one purpose. For a host that one learnt something of it is never used with other settings, because
 * Chromium remembers the verdict on a certificate for as long as the session lives.
 */
class SessionPool {
  readonly #limits: (typeof sessionLimits)[SessionPurpose]
  /** Those that are cleared and wait for their next use, the longest unused first. */
  #idle: OwnSession[] = []
  #made = 0

  constructor(purpose: SessionPurpose) {
    this.#limits = sessionLimits[purpose]
  }

  /** Lends a session. Rejects with `NotSent` where there are too many, or it cannot be set up. */
  async lend(settings: SessionSettings): Promise<PreparedSession> {
    const key = settingsKey(settings)
    const same = this.#take((one) => one.isFor(key))
    const other = same ? null : (this.#takeOther(hostOf(settings)) ?? this.#make())
    // By its memory, Chromium refuses the same again: that goes where there is no other way.
    const own = same ?? other ?? this.#take((one) => one.refusesFor(key))
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
        // One that cannot be cleared is not used again.
        Promise.all([own.clear(), Promise.allSettled(uses)]).then(
          () => this.#putBack(own),
          () => undefined,
        )
      },
    }
  }

  /** Begins anew without the sessions there are. */
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

  /** Takes an idle session to set it up anew for a host, once there is a reason not to make one. */
  #takeOther(host: string): OwnSession | null {
    const mayTakeAny = this.#made >= this.#limits.usual
    return this.#take((one) => one.isStrangerTo(host) && (mayTakeAny || one.isFree))
  }

  /** Makes one; null where there are too many. */
  #make(): OwnSession | null {
    if (this.#made >= this.#limits.most) return null
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
 * Forgets every session when Chromium's network process ends: their rules for certificates end with it, and Electron
 * sends nothing over them any more.
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
 * The session of an environment: the same one for as long as its settings are the same. Rejects with `NotSent` where there
 * are too many sessions, or it cannot be set up, in which case the next call tries anew; and where the settings are those
 * of an earlier edition (`HttpTarget`) than the session's, which what is asked over many pages may still have.
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

/** A session that nobody else uses until it is released. Rejects as `sessionOf` does. */
export async function throwAwaySession(
  purpose: SessionPurpose,
  origin: string,
  network = systemNetwork,
): Promise<PreparedSession> {
  return await pools[purpose].lend({ network, origin })
}

/** Ends the connections of an environment's session and clears what it kept. */
export async function forgetSession(environmentId: string): Promise<void> {
  const known = ofEnvironments.get(environmentId)
  ofEnvironments.delete(environmentId)
  if (known) await giveBack(known.prepared)
}

/** Gives a session back once it is there, if it ever is. */
export async function giveBack(prepared: Promise<PreparedSession>): Promise<void> {
  await prepared.then(
    ({ release }) => release(),
    () => undefined,
  )
}

const hostOf = ({ origin }: SessionSettings): string => normalizeHost(new URL(origin).hostname)

const isSecure = ({ origin }: SessionSettings): boolean => new URL(origin).protocol === 'https:'
