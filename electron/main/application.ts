/** Wires together what answers the window's calls; loaded while the window opens, so that it opens sooner. */
import { join } from 'node:path'
import type { AppState } from '@contract'
import { app } from 'electron'
import { createBuiltInService } from './built-in-service'
import { forkBuiltInService } from './built-in-service/fork'
import { createDeployments } from './deployments'
import { createEnvironments } from './environments'
import { createHttpClient } from './http'
import { Connections } from './http/connections'
import { registerCalls } from './ipc'
import { createHandlers } from './ipc/handlers'
import { createJournal } from './journal'
import { createKeychain } from './keychain'
import { forkKeychain } from './keychain/fork'
import { keychainServiceName } from './keychain/service-name'
import { report } from './report'
import { createRepositories } from './repositories'
import type { MainWindow } from './window'
import { setMenu } from './window/menu'

/** `programFolder` has the programs of the utility processes. */
export function startApplication(window: MainWindow, programFolder: string): void {
  const userDataFolder = app.getPath('userData')
  const usualFolder = join(app.getPath('appData'), app.getName())

  const connections = new Connections((connection) => {
    if (connection.environmentId === environments.state().currentEnvironmentId) {
      door.send('connection.changed', connection)
    }
  })
  const http = createHttpClient((environmentId, outcome) => connections.note(environmentId, outcome))
  const environments = createEnvironments({
    keychain: createKeychain({
      fork: () => forkKeychain(join(programFolder, 'keychain.cjs')),
      service: keychainServiceName(userDataFolder, usualFolder),
    }),
    builtIn: createBuiltInService({
      fork: (args, variables) => forkBuiltInService(join(programFolder, 'service.cjs'), args, variables),
      folder: join(userDataFolder, 'built-in-service'),
    }),
    http,
    userDataFolder,
  })
  const journal = createJournal(
    join(userDataFolder, 'journal.jsonl'),
    (entry) => door.send('journal.changed', entry),
    report,
  )
  const appState = (): AppState => {
    const state = environments.state()
    return { version: app.getVersion(), ...state, connection: connections.of(state.currentEnvironmentId) }
  }
  const handlers = createHandlers({
    appState,
    environments,
    deployments: createDeployments(environments, http, journal),
    repositories: createRepositories(environments, http, report),
    journal,
    report,
  })
  const door = registerCalls(window.current, handlers, report)

  environments.onChange((state) => {
    door.keepEnvironment(state.currentEnvironmentId)
    door.send('app.state', appState())
  })
  window.onceLoaded(() => void environments.load().catch(report))
  setMenu((command) => door.send('window.command', command))

  let closed = false
  app.on('before-quit', (event) => {
    if (closed) return
    closed = true
    event.preventDefault()
    void environments
      .close()
      .catch(report)
      .finally(() => app.quit())
  })
}
