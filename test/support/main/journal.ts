import type { Journal } from '../../../electron/main/stored/journal'

/** The environment of the tests' entries. */
export const place = { environmentId: 'e', environmentName: 'Production' }

/** The same for entries of calls, without the account. */
export const calledPlace = { ...place, account: null }

export const fingerprint = { salt: 'c2FsdA==', members: { source: ['a-hash'] }, secretNames: [] }

/** Begins a creation with a name. Returns its identifier. */
export const begin = (journal: Journal, name = 'agent'): Promise<string> =>
  journal.beginCreation(place, {
    name,
    source: 'repohost',
    fingerprint,
    serviceIdentity: 'service',
    headersIdentity: 'headers',
    routeIdentity: 'route',
    before: [],
    startedAtService: null,
  })
