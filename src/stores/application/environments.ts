import type {
  AuthorityFile,
  ConnectionCheck,
  Environment,
  EnvironmentInput,
  Failure,
  Outcome,
} from '@contract'
import type { OpenedEnvironments, SavedEnvironments } from '@contract/app/environment-file'
import type { HistoryState } from '@contract/cache'
import type { Offers, Write } from '@contract/life/offers'
import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import { call } from '@/api'
import { createLatestCall } from './latest-call'

/** What "Check connection" of the dialog shows. */
export type CheckState =
  | { step: 'none' }
  | { step: 'running' }
  | { step: 'succeeded'; result: ConnectionCheck }
  | { step: 'failed'; failure: Failure }

/**
 * The calls of the Environments screen, and the result of its connection check. The list belongs to the app's store.
 */
export const useEnvironmentsStore = defineStore('environments', () => {
  const check = shallowRef<CheckState>({ step: 'none' })
  /** The environment whose dialog opens with the screen; null for none. */
  const toEdit = ref<string | null>(null)
  const latestCheck = createLatestCall()

  /** Checks the connection of a draft. A check that is still running is cancelled. */
  async function runCheck(input: EnvironmentInput): Promise<void> {
    check.value = { step: 'running' }
    const outcome = await latestCheck.make((signal) => call('environments.check', input, { signal }))
    if (!outcome) return
    check.value = outcome.ok
      ? { step: 'succeeded', result: outcome.value }
      : { step: 'failed', failure: outcome.failure }
  }

  /** Cancels a running check and clears the last result, which no longer belongs to what is typed. */
  function clearCheck(): void {
    latestCheck.cancel()
    check.value = { step: 'none' }
  }

  /** Adds or changes an environment. The new list comes with the state of the window. */
  function save(input: EnvironmentInput): Promise<Outcome<Environment>> {
    return call('environments.save', input)
  }

  /** What the history of an environment takes, and for how long it is kept. */
  function readHistory(environmentId: string): Promise<Outcome<HistoryState>> {
    return call('history.state', { environmentId }, { quiet: true })
  }

  function keepHistory(environmentId: string, days: HistoryState['days']): Promise<Outcome<HistoryState>> {
    return call('history.keep', { environmentId, days })
  }

  /** Has exactly these changes offered beside what was found out about the service. */
  function switchOn(environmentId: string, writes: readonly Write[]): Promise<Outcome<Offers>> {
    return call('life.switchOn', { environmentId, writes: [...writes] })
  }

  /** Trusts exactly the certificate of a refusal. A dialog of the system asks for confirmation. */
  function trust(id: string, refusalId: string): Promise<Outcome<Environment>> {
    return call('environments.trust', { id, refusalId })
  }

  /** Reads a CA certificate, or says what is wrong with it. */
  function readAuthority(pem: string): Promise<Outcome<AuthorityFile>> {
    return call('environments.readAuthority', { pem })
  }

  /** Lets the operator choose a file with a CA certificate; null where they chose none. */
  function chooseAuthority(): Promise<Outcome<AuthorityFile | null>> {
    return call('environments.chooseAuthority', {})
  }

  /**
   * Removes an environment with its profile, header values and session data.
   *
   * @param confirmedName its name as typed, where it is protected or may be
   */
  function remove(id: string, confirmedName: string | null): Promise<Outcome<null>> {
    return call('environments.remove', { id, confirmedName })
  }

  /** Puts the environments that the operator added into an order. The new list comes with the state of the window. */
  function reorder(ids: string[]): Promise<Outcome<null>> {
    return call('environments.reorder', { ids })
  }

  /** Lets the operator choose a file with environments; null if they chose none. Nothing is added. */
  function openFile(): Promise<Outcome<OpenedEnvironments | null>> {
    return call('environments.openFile', {})
  }

  /** Lets the operator choose where to save environments without secrets, and saves them. */
  function saveFile(ids: string[]): Promise<Outcome<SavedEnvironments>> {
    return call('environments.saveFile', { ids })
  }

  return {
    check,
    toEdit,
    runCheck,
    clearCheck,
    save,
    trust,
    readAuthority,
    chooseAuthority,
    remove,
    reorder,
    openFile,
    saveFile,
    readHistory,
    keepHistory,
    switchOn,
  }
})
