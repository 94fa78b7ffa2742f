import type {
  AppState,
  ConnectionCheck,
  Environment,
  EnvironmentInput,
  EnvironmentMode,
  KeychainState,
  Outcome,
} from '@contract'
import type { HttpTarget } from '../http/types'

/**
 * What is needed to call the service of an environment. It contains header values, so it never leaves the main process.
 */
export interface ReadyEnvironment {
  id: string
  name: string
  mode: EnvironmentMode
  protected: boolean
  /** Whether nothing may be created there. */
  readOnly: boolean
  target: HttpTarget
}

/** What an environment leads to, as far as that is known now, and what stands for it in the window's state. */
type Destination = Pick<ReadyEnvironment, 'id' | 'name' | 'target'> & { service: string }

/** The part of the window's state that environments own. */
export type EnvironmentsState = Pick<AppState, 'environments' | 'currentEnvironmentId' | 'keychain'>

/** The environments: their profiles, which one is current, and the state of the keychain. */
export interface Environments {
  state: () => EnvironmentsState
  /** Calls `listener` after every change of the state. Gives the function that removes it. */
  onChange: (listener: (state: EnvironmentsState) => void) => () => void
  /**
   * Reads the profiles from the keychain, if there are any. Call it after the window has loaded: the start never waits
   * for the keychain.
   */
  load: () => Promise<void>
  save: (input: EnvironmentInput) => Promise<Outcome<Environment>>
  /**
   * Trusts exactly the certificate of a recorded refusal from now on, once the operator has agreed outside the page.
   * Failures: `cancelled`, `not-found`, and those of `save`.
   */
  trust: (id: string, refusalId: string) => Promise<Outcome<Environment>>
  /**
   * Removes an environment. One that is protected, or may be because its profile can't be read, needs its name as
   * typed. Failures: `confirmation-needed`, `not-found`, `not-allowed`, the keychain's.
   */
  remove: (id: string, confirmedName: string | null) => Promise<Outcome<null>>
  /** Makes an environment the current one. Failures: `not-found`; `internal` if the next start won't know of it. */
  select: (id: string) => Promise<Outcome<null>>
  /**
   * Puts the environments that the operator added into an order; those that it doesn't name come after them. Failure:
   * `internal` if the next start won't know of it.
   */
  reorder: (ids: readonly string[]) => Promise<Outcome<null>>
  /** Requests one deployment from the service of a draft, in a session that is used once. */
  check: (input: EnvironmentInput, signal?: AbortSignal) => Promise<Outcome<ConnectionCheck>>
  retryKeychain: () => Promise<Outcome<KeychainState>>
  /** Reads the profile from the keychain, or starts the built-in service, unless that was done before. */
  ready: (id: string, signal?: AbortSignal) => Promise<Outcome<ReadyEnvironment>>
  /** What an environment leads to; null while its profile is unknown. */
  destination: (id: string) => Destination | null
  /** Adds an integration to an environment's known ones, if it is new and there is room. */
  rememberIntegration: (id: string, integrationId: string) => Promise<void>
  /** Ends the built-in services and the keychain process. */
  close: () => Promise<void>
}
