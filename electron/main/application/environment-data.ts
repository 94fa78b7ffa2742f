import type { Cache } from '../processes/cache-client'
import type { Drafts } from '../stored/drafts'
import type { Personal } from '../stored/personal'
import type { Environments } from '../environments/model/types'
import type { Synchronisation } from '../features/sync'
import type { Watches } from '../features/watches'

/** The data of an environment, besides its keychain entry and its place in the list. */
export interface EnvironmentData {
  /**
   * Deletes the data of a removed environment: its drafts, what the operator keeps about its deployments, its
   * watches, its synchronisation, its cache and the cache's key.
   */
  forget: (environmentId: string) => Promise<void>
  /**
   * Finds the environments of all stored data. An environment that only the list lacks is listed again. The data of an
   * environment that no longer exists is deleted: it remains after a crash during a removal, or after a removal while
   * one of these files couldn't be read. Deletes nothing if an environment may come back: while one isn't read; while a
   * file that was set aside is in the folder, such as the list of environments or a file of another keychain; or if
   * `Environments.lookFor` isn't sure. A cache with a file that was set aside stays too.
   */
  settleLeftOver: () => Promise<void>
}

export interface EnvironmentDataOptions {
  /** The files that were set aside and are still in the folder of the list, the drafts and the journal. */
  filesSetAside: () => Promise<readonly string[]>
  environments: Pick<Environments, 'lookFor'>
  drafts: Pick<Drafts, 'environments' | 'forget' | 'settle'>
  personal: Pick<Personal, 'environments' | 'forget'>
  cache: Pick<Cache, 'remove' | 'stored'>
  synchronisation: Pick<Synchronisation, 'forget'>
  watches: Pick<Watches, 'environments' | 'forget'>
  report: (error: unknown) => void
}

/** Reports what can't be deleted, and deletes the rest. */
export function createEnvironmentData(options: EnvironmentDataOptions): EnvironmentData {
  const { filesSetAside, environments, drafts, personal, cache, synchronisation, watches, report } = options

  async function forget(environmentId: string): Promise<void> {
    drafts.forget(environmentId)
    await drafts.settle()
    await personal.forget(environmentId)
    await watches.forget(environmentId)
    await synchronisation.forget(environmentId).catch(report)
    await cache.remove(environmentId).catch(report)
  }

  return {
    forget,
    async settleLeftOver() {
      const withDrafts = drafts.environments()
      const inPersonal = personal.environments()
      const watched = watches.environments()
      const isRead = withDrafts !== null && inPersonal !== null && watched !== null
      const mayDelete = isRead && (await filesSetAside()).length === 0
      const referenced = [withDrafts, inPersonal, watched].flatMap((ids) => ids ?? [])
      const all = [...referenced, ...(await cache.stored())]
      for (const id of new Set(all)) {
        const found = await environments.lookFor(id)
        if (found === 'gone' && mayDelete) await forget(id)
      }
    },
  }
}
