import { type CreationEntry, failure, fail, type Outcome, succeed } from '@contract'
import { app } from 'electron'
import { createCreation } from '../../electron/main/features/deployments/creation'
import { createDeployments } from '../../electron/main/features/deployments/list'
import { createReconciler, type Reconciler } from '../../electron/main/features/deployments/reconciler'
import type { Environments } from '../../electron/main/environments'
import type { ReadyEnvironment } from '../../electron/main/environments/known'
import { createHttpClient } from '../../electron/main/http'
import { createUpdates } from '../../electron/main/features/updates'
import type { HttpClient } from '../../electron/main/http/client'
import { createRefusals } from '../../electron/main/http/trust'
import { createJournal, type Journal } from '../../electron/main/stored/journal'
import { stateIn, withoutDrafts } from '../support/main/state'
import type { Answered, Asked, HarnessCall, HarnessCalls, HarnessEnvironment } from './protocol'

interface Parts {
  deployments: ReturnType<typeof createDeployments> & {
    'deployments.create': ReturnType<typeof createCreation>
  }
  reconciler: Reconciler
}

const journalKey = '5a'.repeat(32)

const report = (error: unknown): void => {
  console.error('Harness:', error)
}

/** What is open between `open` and `close`. */
interface Open {
  journal: Journal
  http: HttpClient
  environments: Map<string, Parts>
}

let open: Open | null = null

const never = new AbortController().signal

/** Environments with a fixed current one. */
function onlyEnvironment({ id, baseUrl, network }: HarnessEnvironment): Environments {
  const ready: ReadyEnvironment = {
    id,
    name: id,
    mode: 'cloud',
    protected: false,
    readOnly: false,
    target: { environmentId: id, baseUrl, headers: {}, network },
  }
  const part = {
    destination: (wantedId: string) => (wantedId === id ? { ...ready, service: id } : null),
    state: () => ({ environments: [{ id }], currentEnvironmentId: id, keychain: { state: 'available' } }),
    ready: (wantedId: string): Promise<Outcome<ReadyEnvironment>> =>
      Promise.resolve(
        wantedId === id ? succeed(ready) : fail(failure('not-found', 'There is no such environment.')),
      ),
  }
  return part as unknown as Environments
}

/** The application's client with another time limit. */
function impatient(timeLimitMs: number): HttpClient {
  const http = createHttpClient(createRefusals(), () => undefined)
  return { ...http, request: (request) => http.request({ timeLimitMs, ...request }) }
}

function opened(): Open {
  if (!open) throw new Error('No journal is open.')
  return open
}

function environmentOf(id: string): Parts {
  const found = opened().environments.get(id)
  if (!found) throw new Error(`There is no environment ${id}.`)
  return found
}

const answers: {
  [Call in HarnessCall]: (input: HarnessCalls[Call]['input']) => Promise<HarnessCalls[Call]['output']>
} = {
  open: async ({ folder, environments, timeLimitMs }) => {
    const journal = createJournal({
      state: stateIn(folder, { keyFor: async () => succeed(journalKey) }),
      changed: () => undefined,
      report,
      notice: () => undefined,
      readLate: () => undefined,
      sentTo: () => undefined,
    })
    const http = impatient(timeLimitMs)
    open = { journal, http, environments: new Map() }
    for (const environment of environments) {
      const only = onlyEnvironment(environment)
      const reconciler = createReconciler({ environments: only, http, journal, report })
      const context = { environments: only, http, journal, reconciler, drafts: withoutDrafts, report }
      const deployments = {
        ...createDeployments(context),
        'deployments.create': createCreation(context),
      }
      open.environments.set(environment.id, { deployments, reconciler })
      await reconciler.follow()
    }
    return null
  },

  create: ({ environmentId, request, again = null }) =>
    environmentOf(environmentId).deployments['deployments.create'](
      { environmentId, request, confirmedName: null, again },
      never,
    ),

  check: async ({ baseUrl, network }) => {
    const target = { environmentId: null, baseUrl, headers: {}, network }
    const outcome = await opened().http.request({ target, method: 'GET', path: '/v2/deployments' })
    return outcome.ok ? succeed(null) : outcome
  },

  updates: async ({ file, version, ...source }) => {
    const ignored: string[] = []
    const updates = createUpdates({
      source,
      file,
      version,
      http: createHttpClient(createRefusals(), () => undefined),
      log: {
        info: () => undefined,
        warn: (_area, _message, fields) => void ignored.push(String(fields?.why)),
      },
      changed: () => undefined,
      setAside: () => undefined,
      report,
    })
    await updates.start()
    return { state: updates.state(), ignored }
  },

  look: ({ environmentId, attemptId }) =>
    environmentOf(environmentId).reconciler.lookUp({ environmentId, attemptId }, never),

  attempts: async () =>
    (await opened().journal.list(100_000))
      .filter((entry): entry is CreationEntry => entry.kind === 'creation')
      .reverse(),

  close: async () => {
    for (const { reconciler } of opened().environments.values()) reconciler.close()
    open = null
    return null
  },
}

async function answerTo({ number, call, input }: Asked): Promise<Answered> {
  try {
    return { number, output: await (answers[call] as (input: unknown) => Promise<unknown>)(input) }
  } catch (error) {
    return { number, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

// Without a window, nothing else ends it.
process.on('disconnect', () => app.exit(0))
process.on('message', (message: Asked) => void answerTo(message).then((answered) => process.send?.(answered)))
void app.whenReady().then(() => process.send?.({ number: 0, output: null } satisfies Answered))
