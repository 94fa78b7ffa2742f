import type { AppState, Environment, Failure } from '@contract'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import { call, on } from '../api'
import { useCommandsStore } from '../commands'
import { distinctLetters, nicknameOf } from '@/ui/format/words'

/** What the current screen shows, for the status line: "50 deployments", and when it was loaded (ISO 8601). */
export interface Shown {
  text: string
  at: string | null
}

/** The state of the window, as the main process sends it, and its current environment. */
export const useAppStore = defineStore('app', () => {
  const commands = useCommandsStore()
  const state = shallowRef<AppState | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const selecting = ref<string | null>(null)
  /** The environment that was chosen last. Failures of earlier switches no longer matter. */
  const chosenId = ref<string | null>(null)
  /** The last `switchTo` if it failed. */
  const refusedSwitch = shallowRef<{ id: string; failure: Failure } | null>(null)
  const shown = shallowRef<Shown | null>(null)
  /** The environment whose dialog opens with the Environments screen; null for none. */
  const toEdit = ref<string | null>(null)
  /** The draft in the form, for comparisons; null if there is none, or it is empty. */
  const draftInView = shallowRef<{ environmentId: string; id: string } | null>(null)
  let listening = false

  const environments = computed(() => state.value?.environments ?? [])
  /** Null if there is no environment of this identifier, for example any more. */
  const environmentOf = (id: string | null): Environment | null =>
    environments.value.find((one) => one.id === id) ?? null
  /** The environments other than the current one in which something can be created. */
  const creatableElsewhere = computed(() =>
    environments.value.filter(
      ({ id, profile }) => id !== currentEnvironmentId.value && profile !== null && !profile.readOnly,
    ),
  )
  /** The letters of the environments' badges, by name. */
  const letters = computed(() => distinctLetters(environments.value.map(({ name }) => name)))
  const currentEnvironmentId = computed(() => state.value?.currentEnvironmentId ?? null)
  /**
   * How often each environment has changed its service, account, certificate rule or proxy since the page was loaded.
   */
  const edits = shallowRef<ReadonlyMap<string, number>>(new Map())
  /**
   * Identifies an environment together with the service and account that it leads to, its certificate rule and its
   * proxy. When the key changes, what was shown under the one before no longer counts.
   */
  const accountKeyOf = (id: string): string => `${id} ${edits.value.get(id) ?? 0}`
  /** The key of the current environment; null where there is none. */
  const accountKey = computed(() => {
    const id = currentEnvironmentId.value
    return id === null ? null : accountKeyOf(id)
  })
  const environment = computed(() => environmentOf(currentEnvironmentId.value))
  /** Null while the environment's profile can't be read. */
  const mode = computed(() => environment.value?.profile?.mode ?? null)
  /** Whether nothing can be created in the current environment. */
  const readOnly = computed(() => environment.value?.profile?.readOnly ?? false)
  const colour = computed(() => environment.value?.profile?.colour ?? 'grey')
  /** The operator's nickname of an integration of the current environment; null if it has none. */
  const nicknameOfIntegration = (id: string): string | null =>
    nicknameOf(id, environment.value?.profile?.nicknames)
  const connection = computed(() => {
    const current = state.value?.connection ?? null
    return current?.environmentId === currentEnvironmentId.value ? current : null
  })

  const services = new Map<string, string>()

  /**
   * Takes the state of the window, and counts environments that lead elsewhere now. Where the current environment's
   * profile can be read at last, the screen is reloaded.
   */
  function take(next: AppState): void {
    const before = environment.value
    const counted = new Map(edits.value)
    for (const { id, service } of next.environments) {
      if (service === null) continue
      const known = services.get(id)
      services.set(id, service)
      if (known !== undefined && known !== service) counted.set(id, (counted.get(id) ?? 0) + 1)
    }
    edits.value = counted
    state.value = next
    const isReadableNow = before?.profile === null && environment.value?.profile != null
    if (isReadableNow && before.id === environment.value.id) commands.run('refresh')
  }

  /** Loads the state, and follows its changes from then on. */
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

  /** The environment of the last switch if that failed: it may be current without being saved as such. */
  let failedSwitch: string | null = null

  /**
   * Makes an environment the current one; gives null, or why it failed, for a dialog that shows it. After a failed switch
   * a second call tries again, also where only the save to disk failed.
   *
   * @param then what to do there, unless another environment has been chosen by then. Even if saving the choice failed,
   * the switch has taken effect.
   */
  async function select(id: string, then?: () => unknown): Promise<Failure | null> {
    chosenId.value = id
    const isCurrent = id === currentEnvironmentId.value && selecting.value === null
    let switchFailure: Failure | null = null
    if (!isCurrent || id === failedSwitch) {
      selecting.value = id
      const outcome = await call('environments.select', { id })
      if (selecting.value === id) selecting.value = null
      failedSwitch = outcome.ok ? null : id
      if (!outcome.ok) switchFailure = outcome.failure
    }
    if (chosenId.value === id && currentEnvironmentId.value === id) then?.()
    return switchFailure
  }

  /** Makes an environment the current one, as `select` does. The switcher shows why that failed. */
  async function switchTo(id: string, then?: () => unknown): Promise<void> {
    refusedSwitch.value = null
    const refused = await select(id, then)
    refusedSwitch.value = refused && { id, failure: refused }
  }

  /** Asks the keychain again, and reloads the screen once it is available; gives null, or why the call failed. */
  async function retryKeychain(): Promise<Failure | null> {
    const wasReadable = environment.value?.profile != null
    const outcome = await call('environments.retryKeychain', {})
    if (wasReadable && outcome.ok && outcome.value.state === 'available') commands.run('refresh')
    return outcome.ok ? null : outcome.failure
  }

  return {
    state,
    failure,
    selecting,
    chosenId,
    refusedSwitch,
    shown,
    toEdit,
    draftInView,
    environments,
    environmentOf,
    creatableElsewhere,
    letters,
    currentEnvironmentId,
    accountKey,
    accountKeyOf,
    environment,
    mode,
    readOnly,
    colour,
    nicknameOfIntegration,
    connection,
    start,
    select,
    switchTo,
    retryKeychain,
  }
})
