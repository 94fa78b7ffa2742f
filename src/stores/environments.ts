import type {
  AuthorityFile,
  ConnectionCheck,
  Environment,
  EnvironmentInput,
  Failure,
  Outcome,
} from '@contract'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call } from '@/api'

/** What "Check connection" of the dialog shows. */
export type CheckState =
  | { step: 'none' }
  | { step: 'running' }
  | { step: 'succeeded'; result: ConnectionCheck }
  | { step: 'failed'; failure: Failure }

/**
 * The calls of the Environments screen. The list itself and which environment is current belong to the window's
 * state; this store holds what is under way here and what came of it.
 */
export const useEnvironmentsStore = defineStore('environments', () => {
  const check = shallowRef<CheckState>({ step: 'none' })
  let checkInFlight: AbortController | null = null

  /** Asks the service of a draft for one deployment; a check that is still running is given up. */
  async function runCheck(input: EnvironmentInput): Promise<void> {
    clearCheck()
    const controller = new AbortController()
    checkInFlight = controller
    check.value = { step: 'running' }
    const outcome = await call('environments.check', input, { signal: controller.signal })
    if (checkInFlight !== controller) return
    checkInFlight = null
    check.value = outcome.ok
      ? { step: 'succeeded', result: outcome.value }
      : { step: 'failed', failure: outcome.failure }
  }

  /** Gives up a running check and forgets the last result, which no longer belongs to what is typed. */
  function clearCheck(): void {
    checkInFlight?.abort()
    checkInFlight = null
    check.value = { step: 'none' }
  }

  /** Adds or changes an environment. The new list comes with the window's state. */
  function save(input: EnvironmentInput): Promise<Outcome<Environment>> {
    return call('environments.save', input)
  }

  /** Trusts exactly the certificate of a refusal from now on; the system asks the user once more. */
  function trust(id: string, refusalId: string): Promise<Outcome<Environment>> {
    return call('environments.trust', { id, refusalId })
  }

  /** What the main process reads in a certificate of an authority, or what is wrong with it. */
  function readAuthority(pem: string): Promise<Outcome<AuthorityFile>> {
    return call('environments.readAuthority', { pem })
  }

  /** Lets the user choose a file with such a certificate; null where none was chosen. */
  function chooseAuthority(): Promise<Outcome<AuthorityFile | null>> {
    return call('environments.chooseAuthority', {})
  }

  /** Forgets an environment: its profile, its header values and its session's data. */
  function remove(id: string): Promise<Outcome<null>> {
    return call('environments.remove', { id })
  }

  return { check, runCheck, clearCheck, save, trust, readAuthority, chooseAuthority, remove }
})
