import type { Connection } from '@contract'
import type { SyncState } from '@contract/cache'
import type { EnvironmentsState } from '../../environments/model/types'
import type { Log } from '../../log'

/** Logs changes of state, each once. */
export interface NotedChanges {
  environments: (state: EnvironmentsState) => void
  connection: (connection: Connection) => void
  synchronisation: (state: SyncState) => void
  /** A notice about one of Slipway's files. */
  notice: (about: string, text: string) => void
}

export function noteChanges(log: Log): NotedChanges {
  const last = new Map<string, string>()
  const isNew = (what: string, value: string): boolean => {
    if (last.get(what) === value) return false
    last.set(what, value)
    return true
  }
  return {
    environments({ currentEnvironmentId, environments, keychain }) {
      if (isNew('keychain', keychain.state)) log.info('keychain', `state ${keychain.state}`)
      const unreadable = environments.filter(({ problem }) => problem !== null).length
      const fields = { current: currentEnvironmentId, count: environments.length, unreadable }
      if (isNew('environments', JSON.stringify(fields))) log.info('app', 'environments', fields)
    },
    notice(about, text) {
      if (isNew(`notice ${about}`, text)) log.warn('disk', text, { about })
    },
    connection({ environmentId, state }) {
      if (isNew(`connection ${environmentId}`, state)) log.info('http', state, { environment: environmentId })
    },
    synchronisation({ environmentId, progress, last: end, storage: stored }) {
      const about = { environment: environmentId }
      const phase = progress ? `pass ${progress.pass} ${progress.phase}` : 'idle'
      if (isNew(`sync ${environmentId}`, phase) && progress)
        log.info('sync', phase, { ...about, automatic: progress.automatic })
      if (end && isNew(`sync end ${environmentId}`, end.at)) {
        log.info('sync', `ended: ${end.end}`, {
          ...about,
          covered: end.covered,
          gone: end.gone,
          code: end.failure?.code,
        })
      }
      if (stored && isNew(`storage ${environmentId}`, stored)) log.info('cache', `stored ${stored}`, about)
    },
  }
}
