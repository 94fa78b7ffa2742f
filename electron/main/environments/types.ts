import type {
  AppState,
  ConnectionCheck,
  Environment,
  EnvironmentInput,
  EnvironmentMode,
  KeychainState,
  Outcome,
  SecretsPlace,
} from '@contract'
import type { HttpTarget } from '../http/types'

/** All that is needed to call the service of an environment. Holds header values: it never leaves the main process. */
export interface ReadyEnvironment {
  id: string
  name: string
  mode: EnvironmentMode
  protected: boolean
  target: HttpTarget
}

/**
 * What the list and the keychain say of an environment: it is `listed`; it is certainly `gone`, since the list is complete
 * and an open keychain has no entry of it; or that can't be said now.
 */
export type Whereabouts = 'listed' | 'gone' | 'unknown'

/** The part of the window's state that environments own. */
export type EnvironmentsState = Pick<AppState, 'environments' | 'currentEnvironmentId' | 'keychain'>

/** The environments: their profiles, which one is current, and the state of the keychain. */
export interface Environments {
  state: () => EnvironmentsState
  /** Calls `listener` after every change of the state; gives the function that ends this. */
  onChange: (listener: (state: EnvironmentsState) => void) => () => void
  /**
   * Reads the profiles from the keychain, where there are any. To be called after the window's first load: the
   * keychain is never on the start path.
   */
  load: () => Promise<void>
  save: (input: EnvironmentInput) => Promise<Outcome<Environment>>
  /**
   * Trusts exactly the certificate of a recorded refusal for its environment from now on, once the user has agreed
   * outside the page. Failures: `cancelled`, `not-found`, and those of `save`.
   */
  trust: (id: string, refusalId: string) => Promise<Outcome<Environment>>
  remove: (id: string) => Promise<Outcome<null>>
  /** Looks for an environment of which something is kept; one that only the list lacks is listed again. */
  lookFor: (id: string) => Promise<Whereabouts>
  /** Makes an environment the current one. Failures: `not-found`; `internal` where it is so only until Slipway closes. */
  select: (id: string) => Promise<Outcome<null>>
  /** Asks the service of a draft for one deployment, in a throw-away session. */
  check: (input: EnvironmentInput, signal?: AbortSignal) => Promise<Outcome<ConnectionCheck>>
  retryKeychain: () => Promise<Outcome<KeychainState>>
  /** Reads the profile from the keychain, or starts the built-in service, where that has not been done yet. */
  ready: (id: string, signal?: AbortSignal) => Promise<Outcome<ReadyEnvironment>>
  /** What the secrets of a deployment are entered for there now; null where its profile is not known. */
  secretsPlace: (id: string) => SecretsPlace | null
  /** Adds an integration to an environment's known ones, as far as there is room; does nothing where it is known. */
  rememberIntegration: (id: string, integrationId: string) => Promise<void>
  /** Ends the built-in services and the keychain process. */
  close: () => Promise<void>
}
