import { type AppState, succeed } from '@contract'
import { clipboard } from 'electron'
import type { Deployments } from '../deployments'
import type { Environments } from '../environments/port'
import type { Journal } from '../journal'
import { notingFailures } from '../journal/noting-failures'
import type { Repositories } from '../repositories'
import { openExternal } from '../window/external-links'
import type { Handlers } from './answer'

/** The parts of the application that answer calls. */
export interface Parts {
  appState: () => AppState
  environments: Environments
  deployments: Deployments
  repositories: Repositories
  journal: Journal
  report: (error: unknown) => void
}

/** Which part answers which call. */
export function createHandlers(parts: Parts): Handlers {
  const { appState, environments, deployments, repositories, journal, report } = parts
  return {
    'app.state': () => succeed(appState()),
    'environments.save': (input) => environments.save(input),
    'environments.remove': ({ id }) => environments.remove(id),
    'environments.select': ({ id }) => environments.select(id),
    'environments.check': (input, signal) => environments.check(input, signal),
    'environments.retryKeychain': () => environments.retryKeychain(),
    'deployments.page': notingFailures(journal, environments, report, 'List deployments', deployments.page),
    'deployments.get': notingFailures(journal, environments, report, 'Open a deployment', deployments.get),
    // A creation has an entry of its own.
    'deployments.create': deployments.create,
    'repositories.list': notingFailures(
      journal,
      environments,
      report,
      'List repositories',
      repositories.list,
    ),
    'journal.list': async ({ limit }) => succeed(await journal.list(limit)),
    'clipboard.write': async ({ text }) => {
      await clipboard.writeText(text)
      return succeed(null)
    },
    'links.open': ({ url }) => openExternal(url),
  }
}
