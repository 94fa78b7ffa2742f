import type { Cache } from './cache-client'
import type { Drafts } from './drafts'
import type { Environments } from './environments/types'
import type { Synchronisation } from './sync'

/** What is kept of an environment besides its entry in the keychain and its place in the list. */
export interface EnvironmentData {
  /** Deletes what an environment that was removed has: its drafts, its synchronisation, its cache and the key of that. */
  forget: (environmentId: string) => Promise<void>
  /**
   * Looks for the environments of what is kept. One that only the list lacks is listed again. Of one that is gone it
   * deletes the same: a crash in the middle of a removal leaves it, or a removal while the drafts could not be read.
   * Deletes nothing where an environment might turn up again: while the drafts are not read, or a file that was set aside
   * lies in the folder, such as the list of environments or what another keychain has the key of; and nothing where
   * `Environments.lookFor` is not sure. A cache of which a file was set aside stays as well.
   */
  settleLeftOver: () => Promise<void>
}

export interface EnvironmentDataOptions {
  /** The files that were set aside and still lie in the folder of the list, the drafts and the journal. */
  filesSetAside: () => Promise<readonly string[]>
  environments: Pick<Environments, 'lookFor'>
  drafts: Pick<Drafts, 'environments' | 'forget' | 'settle'>
  cache: Pick<Cache, 'remove' | 'stored'>
  synchronisation: Pick<Synchronisation, 'forget'>
  report: (error: unknown) => void
}

/** Makes the belongings. Where something cannot be deleted, that is reported, and the rest goes. */
export function createEnvironmentData(options: EnvironmentDataOptions): EnvironmentData {
  const { filesSetAside, environments, drafts, cache, synchronisation, report } = options

  async function forget(environmentId: string): Promise<void> {
    drafts.forget(environmentId)
    await drafts.settle()
    await synchronisation.forget(environmentId).catch(report)
    await cache.remove(environmentId).catch(report)
  }

  return {
    forget,
    async settleLeftOver() {
      const withDrafts = drafts.environments()
      const mayDelete = withDrafts !== null && (await filesSetAside()).length === 0
      for (const id of new Set([...(withDrafts ?? []), ...(await cache.stored())])) {
        const found = await environments.lookFor(id)
        if (found === 'gone' && mayDelete) await forget(id)
      }
    },
  }
}
