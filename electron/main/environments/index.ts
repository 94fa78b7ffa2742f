import { isDeepStrictEqual } from 'node:util'
import {
  type EnvironmentInput,
  type EnvironmentProfile,
  type Outcome,
  builtInEnvironments,
  fail,
  succeed,
} from '@contract'
import type { BuiltInService } from '../built-in-service'
import type { Files } from '../files'
import type { HttpClient, HttpTarget } from '../http/types'
import type { Refusals } from '../http/refusals'
import { noAnswer } from '../keychain/failures'
import type { Keychain } from '../keychain/types'
import { untilAborted } from './abort'
import { builtInMode, builtInNetwork } from './built-in'
import { checkConnection } from './connection-check'
import type { ConfirmTrust } from './confirm-trust'
import { builtInIsFixed, invalid, notFound, notRemembered } from './failures'
import { createIntegrations } from './changes/remember-integrations'
import { createLookFor } from './changes/find-lost'
import type { Environments, ReadyEnvironment } from './types'
import { headersOf, networkOf, profileOf } from './profile'
import { createProfileStore } from './profile/store'
import { createReading } from './changes/read-profiles'
import { Registry } from './list'
import { removeEnvironment } from './changes/remove'
import { createSaving } from './changes/save'
import { secretsPlaceOf } from './stored-secrets'
import { createTimedQueue } from './changes/timed-queue'

export type { Environments } from './types'

export interface EnvironmentsOptions {
  keychain: Keychain
  builtIn: BuiltInService
  http: HttpClient
  /** The certificates that were refused, of which the user may trust one. */
  refusals: Pick<Refusals, 'find'>
  /** Asks the user, outside the page, before a refused certificate is trusted. */
  confirmTrust: ConfirmTrust
  /** Where `environments.json` is kept. */
  userDataFolder: string
  /** Forgets what else is kept of an environment, whose entry in the keychain is gone. */
  forget?: (id: string) => Promise<void>
  /** Called with what went wrong where nobody waits for it. */
  report: (error: unknown) => void
  /** The file system for the index; the real one by default. */
  files?: Files
  /** Called with what the user has to know of the index, where there is something. */
  notice?: (text: string) => void
  /** How long anyone waits for the keychain before being told that it does not answer, in milliseconds. */
  timeoutMs?: number
}

const newerIndex =
  'The list of environments was written by a newer Slipway and was left as it is. Slipway looks for your environments ' +
  'in the keychain; which of them is current and what you add or remove may not be known to the newer one. Update ' +
  'Slipway.'

/**
 * Makes the environments. Reads the index at once and nothing else; the keychain is first asked by `load`, or
 * by whoever needs a profile before.
 */
export function createEnvironments(options: EnvironmentsOptions): Environments {
  const { keychain, builtIn, http, refusals, userDataFolder, timeoutMs = 10_000 } = options
  const registry = new Registry(userDataFolder, builtIn, options.files)
  const profiles = createProfileStore(keychain)
  const turns = createTimedQueue(timeoutMs, () => registry.setKeychain(noAnswer(timeoutMs)))
  const reading = createReading(registry, profiles, turns, timeoutMs)
  const saving = createSaving(registry, profiles, turns, { ...options, timeoutMs })

  async function ready(id: string): Promise<Outcome<ReadyEnvironment>> {
    const mode = builtInMode(id)
    if (mode) {
      const service = await builtIn.start(mode)
      if (!service.ok) return service
      return succeed({
        id,
        name: builtInEnvironments[mode].name,
        mode,
        protected: false,
        target: {
          environmentId: id,
          baseUrl: service.value.baseUrl,
          headers: { 'X-Api-Key': service.value.apiKey },
          network: builtInNetwork,
        },
      })
    }
    const profile = await reading.profileFor(id)
    return profile.ok ? succeed(own(id, profile.value)) : profile
  }

  /** The way of each environment as it was last made ready, and how often that was another one. */
  const editions = new Map<string, { way: object; edition: number }>()

  /** How often the origin or the network settings of an environment were edited, as far as anybody asked. */
  function editionOf(id: string, { baseUrl, network }: HttpTarget): number {
    const way = { origin: new URL(baseUrl).origin, network }
    const known = editions.get(id)
    if (known && isDeepStrictEqual(known.way, way)) return known.edition
    const edition = (known?.edition ?? 0) + 1
    editions.set(id, { way, edition })
    return edition
  }

  function own(id: string, profile: EnvironmentProfile): ReadyEnvironment {
    const target = {
      environmentId: id,
      baseUrl: profile.baseUrl,
      headers: headersOf(profile),
      network: networkOf(profile),
    }
    return {
      id,
      name: registry.own.get(id)?.name ?? profile.name,
      mode: profile.mode,
      protected: profile.protected,
      target: { ...target, edition: editionOf(id, target) },
    }
  }

  return {
    state: () => registry.state(),
    onChange: (listener) => registry.onChange(listener),
    load: () => {
      if (registry.indexIsNewer) options.notice?.(newerIndex)
      return reading.readAll(false)
    },

    async save(input) {
      if (input.id !== null && builtInMode(input.id)) return fail(builtInIsFixed('changed'))
      return await saving.save(input)
    },

    async trust(id, refusalId) {
      if (builtInMode(id)) return fail(builtInIsFixed('changed'))
      return await saving.trust(id, refusalId)
    },

    async remove(id) {
      if (builtInMode(id)) return fail(builtInIsFixed('removed'))
      // It begins whether anyone still waits or not, and holds up nobody who wants the keychain.
      let forgetting: Promise<void> | undefined
      const removed = (): void => {
        // The session's preparation may have failed, or never end.
        void http.forget(id).catch(options.report)
        editions.delete(id)
        forgetting = options.forget?.(id)
      }
      const turn = await turns.take(() => removeEnvironment(registry, profiles, id, removed))
      if (!turn.waited) return fail(noAnswer(timeoutMs))
      await forgetting
      return turn.result
    },

    lookFor: createLookFor(registry, profiles, turns, (text) => options.notice?.(text)),

    async select(id) {
      if (!registry.exists(id)) return fail(notFound())
      if (registry.current === id && registry.isWritten) return succeed(null)
      registry.current = id
      registry.emit()
      // A full disk keeps nobody from switching; it is only not remembered.
      const reason = await registry.write()
      return reason ? fail(notRemembered(reason)) : succeed(null)
    },

    async check(input, signal) {
      if (input.id !== null && builtInMode(input.id)) return fail(builtInIsFixed('changed'))
      let stored: EnvironmentProfile | null = null
      if (input.id !== null && keepsStored(input)) {
        const profile = await untilAborted(reading.profileFor(input.id), signal)
        if (!profile.ok) return profile
        stored = profile.value
      }
      const drafted = profileOf(input, stored, refusals)
      if (!drafted.ok) return invalid('The connection cannot be checked like this.', drafted.issues)
      return checkConnection(http, drafted.profile, signal)
    },

    async retryKeychain() {
      // Whoever asks again does not want to wait for the call that hangs.
      if (turns.overdue()) {
        keychain.giveUp()
        await turns.underWay()
      }
      await reading.underWay()
      // A process that was there before may have lost the keychain, or hang on one that is gone.
      keychain.renew()
      await reading.readAll(true)
      return succeed(registry.keychain)
    },

    secretsPlace(id) {
      const mode = builtInMode(id)
      if (mode) return { environmentId: id, environmentName: builtInEnvironments[mode].name, route: null }
      const profile = registry.own.get(id)?.profile
      return profile ? secretsPlaceOf(own(id, profile)) : null
    },

    ready: (id, signal) => untilAborted(ready(id), signal),

    rememberIntegration: createIntegrations(registry, profiles, turns, keychain.entryLimit),

    async close() {
      keychain.close()
      await Promise.all([builtIn.close(), turns.idle().then(() => registry.write())])
    },
  }
}

/** Whether a draft keeps what is stored: the value of a header, the password of its proxy, or its certificate. */
function keepsStored({ headers, proxy, trust }: EnvironmentInput): boolean {
  return (
    (trust.kind === 'exact' && trust.refusalId === null) ||
    headers.some(({ value }) => value === null) ||
    (proxy.mode === 'manual' && proxy.credentials?.password === null)
  )
}
