import type { AppState, EnvironmentMode } from '@contract'
import type { HttpTarget } from '../http/client'

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
export type Destination = Pick<ReadyEnvironment, 'id' | 'name' | 'target'> & { service: string }

/** The part of the window's state that environments own. */
export type EnvironmentsState = Pick<AppState, 'environments' | 'currentEnvironmentId' | 'keychain'>

export type { Environments } from '.'
