import {
  type EnvironmentInput,
  type EnvironmentProfile,
  type Outcome,
  builtInEnvironments,
  cancelledFailure,
  fail,
  succeed,
} from '@contract'
import { raceCancellation } from '../async'
import type { BuiltInService } from '../processes/built-in-service'
import type { Files } from '../files'
import type { HttpClient } from '../http/types'
import type { Refusals } from '../http/trust'
import { noAnswer } from '../processes/keychain/failures'
import type { Keychain } from '../processes/keychain/types'
import { builtInMode, builtInNetwork, builtInService } from './model/built-in'
import { createLookFor } from './changes/find-lost'
import { createProfileReader } from './changes/read-profiles'
import { createRememberIntegration } from './changes/remember-integrations'
import { removeEnvironment } from './changes/remove'
import { createSaving } from './changes/save'
import { TimedQueue } from './changes/timed-queue'
import type { ConfirmTrust } from './changes/confirm-trust'
import { checkConnection } from './connection-check'
import { builtInIsFixed, invalid, notFound, notRemembered, orderNotRemembered } from './model/failures'
import { EnvironmentList, serviceOf } from './list'
import { profileOf, targetOf } from './profile'
import { createProfileStore } from './profile/store'
import { secretsPlaceOf } from './model/stored-secrets'
import type { Environments, ReadyEnvironment } from './model/types'

export type { Environments } from './model/types'

export interface EnvironmentsOptions {
  keychain: Keychain
  builtIn: BuiltInService
  http: HttpClient
  /** Refused certificates that the operator may trust. */
  refusals: Pick<Refusals, 'find'>
  /** Asks the operator, outside the page, before a refused certificate is trusted. */
  confirmTrust: ConfirmTrust
  /** Where `environments.json` is. */
  userDataFolder: string
  /** Deletes the other data of an environment whose keychain entry is gone. */
  forget?: (id: string) => Promise<void>
  /** Called with errors that no caller awaits. */
  report: (error: unknown) => void
  /** The file system for the index; the real one by default. */
  files?: Files
  /** Called with a message for the operator about the index, if there is one. */
  notice?: (text: string) => void
  /** How long callers wait for the keychain, in milliseconds. */
  timeoutMs?: number
}

/**
 * Creates the environments. Reads the index synchronously, but not the keychain: `load` or the first use reads that.
 */
export function createEnvironments(options: EnvironmentsOptions): Environments {
  const { keychain, builtIn, http, refusals, userDataFolder, timeoutMs = 10_000 } = options
  const list = new EnvironmentList(userDataFolder, builtIn, options.files)
  const profiles = createProfileStore(keychain)
  const queue = new TimedQueue(timeoutMs, () => list.noteKeychain(noAnswer(timeoutMs)))
  const reader = createProfileReader(list, profiles, queue, timeoutMs)
  const saving = createSaving(list, profiles, queue, { ...options, timeoutMs })

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
        readOnly: false,
        target: {
          environmentId: id,
          baseUrl: service.value.baseUrl,
          headers: { 'X-Api-Key': service.value.apiKey },
          network: builtInNetwork,
        },
      })
    }
    const profile = await reader.profileFor(id)
    return profile.ok ? succeed(readyFrom(id, profile.value)) : profile
  }

  function readyFrom(id: string, profile: EnvironmentProfile): ReadyEnvironment {
    return {
      id,
      name: list.find(id)?.name ?? profile.name,
      mode: profile.mode,
      protected: profile.protected,
      readOnly: profile.readOnly,
      target: targetOf(id, profile),
    }
  }

  return {
    state: () => list.state(),
    onChange: (listener) => list.onChange(listener),
    load: () => reader.readAll(false),

    async save(input) {
      if (input.id !== null && builtInMode(input.id)) return fail(builtInIsFixed('changed'))
      return await saving.save(input)
    },

    async trust(id, refusalId) {
      if (builtInMode(id)) return fail(builtInIsFixed('changed'))
      return await saving.trust(id, refusalId)
    },

    async remove(id, confirmedName) {
      if (builtInMode(id)) return fail(builtInIsFixed('removed'))
      // It starts even if the caller no longer waits, and doesn't block the keychain.
      let forgetting: Promise<void> | undefined
      const onRemoved = (): void => {
        forgetting = options.forget?.(id)
      }
      const removed = await queue.run(() => removeEnvironment(list, profiles, id, confirmedName, onRemoved))
      if (!removed) return fail(noAnswer(timeoutMs))
      await forgetting
      return removed
    },

    lookFor: createLookFor(list, profiles, queue, (text) => options.notice?.(text)),

    async select(id) {
      if (!list.has(id)) return fail(notFound())
      if (list.current === id && list.isWritten) return succeed(null)
      list.select(id)
      list.emit()
      // A full disk doesn't prevent the switch. Only the next start won't know about it.
      const reason = await list.write()
      return reason ? fail(notRemembered(reason)) : succeed(null)
    },

    async reorder(ids) {
      list.reorder(ids)
      list.emit()
      const reason = await list.write()
      return reason ? fail(orderNotRemembered(reason)) : succeed(null)
    },

    async check(input, signal) {
      if (input.id !== null && builtInMode(input.id)) return fail(builtInIsFixed('changed'))
      let stored: EnvironmentProfile | null = null
      if (input.id !== null && usesStored(input)) {
        const profile = await untilCancelled(reader.profileFor(input.id), signal)
        if (!profile.ok) return profile
        stored = profile.value
      }
      const drafted = profileOf(input, stored, refusals)
      if (!drafted.ok) return invalid("The connection can't be checked like this.", drafted.issues)
      return checkConnection(http, drafted.profile, signal)
    },

    async retryKeychain() {
      // The operator who retries doesn't want to wait for the hanging call.
      if (queue.isOverdue) {
        keychain.giveUp()
        await queue.currentSettled()
      }
      await reader.idle()
      // An existing process may have lost its connection to the keychain, or hang on a lost one.
      keychain.renew()
      await reader.readAll(true)
      return succeed(list.keychain)
    },

    destination(id) {
      const mode = builtInMode(id)
      if (mode) {
        // Its identifier alone stands for a built-in service.
        const target = { environmentId: id, baseUrl: builtIn.running(mode)?.baseUrl ?? '', headers: {} }
        return { id, name: builtInEnvironments[mode].name, target, service: builtInService }
      }
      const { name, profile } = list.find(id) ?? {}
      if (name === undefined || !profile) return null
      return { id, name, target: targetOf(id, profile), service: serviceOf(id, profile) }
    },

    secretsPlace(id) {
      const mode = builtInMode(id)
      if (mode) return { environmentId: id, environmentName: builtInEnvironments[mode].name, route: null }
      const profile = list.find(id)?.profile
      return profile ? secretsPlaceOf(readyFrom(id, profile)) : null
    },

    ready: (id, signal) => untilCancelled(ready(id), signal),

    rememberIntegration: createRememberIntegration(list, profiles, queue, keychain.entryLimit),

    async close() {
      keychain.close()
      await Promise.all([builtIn.close(), queue.idle().then(() => list.write())])
    },
  }
}

/** Waits for an outcome until the signal aborts. The work goes on, since other callers may share it. */
async function untilCancelled<Value>(
  work: Promise<Outcome<Value>>,
  signal: AbortSignal | undefined,
): Promise<Outcome<Value>> {
  if (!signal) return await work
  return (await raceCancellation(work, signal)) ?? fail(cancelledFailure)
}

/** Whether a draft needs stored values: of a header, of its proxy's password, or of its certificate. */
function usesStored({ headers, proxy, trust }: EnvironmentInput): boolean {
  return (
    (trust.kind === 'exact' && trust.refusalId === null) ||
    headers.some(({ value }) => value === null) ||
    (proxy.mode === 'manual' && proxy.credentials?.password === null)
  )
}
