import type { Outcome } from '@contract'
import type { Environments } from '../../../electron/main/environments'
import { createSynchronisation, type Synchronisation } from '../../../electron/main/features/sync'
import type { HttpClient } from '../../../electron/main/http/client'
import type { Cache } from '../../../electron/main/processes/cache-client'

/** The synchronisation of one environment, "e", which is always the current one. An error that is reported is thrown. */
export const synchroniseOne = (
  ready: () => Promise<Outcome<unknown>>,
  http: HttpClient,
  cache: Cache,
): Synchronisation =>
  createSynchronisation({
    environments: {
      destination: () => null,
      state: () => ({ currentEnvironmentId: 'e', environments: [{ id: 'e', name: 'Harbour' }] }),
      ready,
    } as unknown as Environments,
    http,
    cache,
    journal: {
      beginSynchronisation: () => Promise.resolve('1'),
      endSynchronisation: () => Promise.resolve(),
    },
    changed: () => undefined,
    mayWork: () => true,
    report: (error) => {
      throw error
    },
  })
