import type { Journal } from '../../../electron/main/stored/journal'

/** The environment of the tests' entries. */
export const place = { environmentId: 'e', environmentName: 'Production' }

/** The same for entries of calls, without the account. */
export const calledPlace = { ...place, account: null }

/** Begins a creation with a name. Returns its identifier. */
export const begin = (journal: Journal, name = 'agent'): Promise<string> =>
  journal.beginCreation(place, {
    name,
    source: 'repohost',
    service: { salt: 'salt', identity: 'service' },
    sent: null,
  })
