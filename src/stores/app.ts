import type {
  AppState,
  Connection,
  Environment,
  EnvironmentColour,
  EnvironmentMode,
  Failure,
} from '@contract'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import { call, on } from '@/api'

/** What the screen in view shows, for the status line: "50 deployments", and when it was loaded (ISO 8601). */
export interface Shown {
  text: string
  at: string | null
}

/** The state of the whole window as the main process tells it, and the current environment out of it. */
export const useAppStore = defineStore('app', () => {
  const state = shallowRef<AppState | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const selecting = ref<string | null>(null)
  const shown = shallowRef<Shown | null>(null)
  /** How the screen in view asks again for what it shows; null where there is nothing to ask for. */
  const refresh = shallowRef<(() => void) | null>(null)
  let listening = false

  const environments = computed<Environment[]>(() => state.value?.environments ?? [])
  const currentEnvironmentId = computed<string | null>(() => state.value?.currentEnvironmentId ?? null)
  /** How often each environment was seen to lead to another service or account, or in another way, than before. */
  const edits = shallowRef<ReadonlyMap<string, number>>(new Map())
  /**
   * Names the current environment together with the service and account that it leads to, and the way there: where that
   * is another one, nothing that was shown of the one before is. Null as the environment's identifier is.
   */
  const place = computed<string | null>(() => {
    const id = currentEnvironmentId.value
    return id === null ? null : placeOf(id)
  })
  /** The same of any environment. */
  const placeOf = (id: string): string => `${id} ${edits.value.get(id) ?? 0}`
  const environment = computed<Environment | null>(
    () => environments.value.find(({ id }) => id === currentEnvironmentId.value) ?? null,
  )
  /**
   * Names an environment with the service and account, the certificate rule and the proxy that lead there; null while
   * they cannot be read.
   */
  function wayOf(id: string): string | null {
    const profile = environments.value.find((one) => one.id === id)?.profile
    return profile ? JSON.stringify([placeOf(id), profile.trust, profile.proxy]) : null
  }
  /** Null while the profile of the environment cannot be read. */
  const mode = computed<EnvironmentMode | null>(() => environment.value?.profile?.mode ?? null)
  const colour = computed<EnvironmentColour>(() => environment.value?.profile?.colour ?? 'grey')
  const connection = computed<Connection | null>(() => {
    const current = state.value?.connection ?? null
    return current?.environmentId === currentEnvironmentId.value ? current : null
  })

  const services = new Map<string, string>()

  /** Takes the state of the window, and first notes which environments were edited. */
  function take(next: AppState): void {
    const counted = new Map(edits.value)
    for (const { id, service } of next.environments) {
      if (service === null) continue
      const before = services.get(id)
      services.set(id, service)
      if (before !== undefined && before !== service) counted.set(id, (counted.get(id) ?? 0) + 1)
    }
    edits.value = counted
    state.value = next
  }

  /** Loads the state and follows its changes from then on. */
  async function start(): Promise<void> {
    if (!listening) {
      listening = true
      on('app.state', take)
      on('connection.changed', (next) => {
        if (state.value) state.value = { ...state.value, connection: next }
      })
    }
    const outcome = await call('app.state', {})
    if (outcome.ok) take(outcome.value)
    failure.value = outcome.ok ? null : outcome.failure
  }

  /** The environment of the last switch where that failed: it may be the current one, and not remembered. */
  let failedSwitch: string | null = null

  /**
   * Makes an environment the current one; the answer is null, or why it failed. Where only that it is could not be written
   * to disk, the same call tries again to write it.
   */
  async function select(id: string): Promise<Failure | null> {
    if (id === currentEnvironmentId.value && id !== failedSwitch) return null
    selecting.value = id
    const outcome = await call('environments.select', { id })
    if (selecting.value === id) selecting.value = null
    failedSwitch = outcome.ok ? null : id
    return outcome.ok ? null : outcome.failure
  }

  /** Asks the keychain again, and, when it answers, for what the screen shows; gives null, or why it failed. */
  async function retryKeychain(): Promise<Failure | null> {
    const outcome = await call('environments.retryKeychain', {})
    if (outcome.ok && outcome.value.state === 'available') refresh.value?.()
    return outcome.ok ? null : outcome.failure
  }

  return {
    state,
    failure,
    selecting,
    shown,
    refresh,
    environments,
    currentEnvironmentId,
    place,
    placeOf,
    wayOf,
    environment,
    mode,
    colour,
    connection,
    start,
    select,
    retryKeychain,
  }
})
