import {
  type AppState,
  type Bridge,
  callNames,
  eventNames,
  type Failure,
  failure,
  type Outcome,
} from '@contract'
import { environmentView } from '../builders/environment-view'

/** A call of the renderer that waits for its answer. */
export interface PendingCall {
  name: string
  id: string
  input: Record<string, unknown>
  cancelled: boolean
  answer: (value: unknown) => Promise<void>
  fail: (reason: Partial<Failure>) => Promise<void>
}

/** Replaces the main process: holds the waiting calls, and sends events. */
export interface FakeBridge {
  calls: PendingCall[]
  /** The calls of a name, the earliest first. */
  callsOf: (name: string) => PendingCall[]
  /** The latest call of a name; throws if there is none. */
  newest: (name: string) => PendingCall
  emit: (name: string, payload: unknown) => void
}

/** Installs a bridge in the window whose calls the test answers one by one. */
export function installFakeBridge(): FakeBridge {
  const calls: PendingCall[] = []
  const listeners = new Map<string, Set<(payload: string) => void>>()
  const call = (name: string) => (id: string, input: unknown) =>
    new Promise<string>((resolve) => {
      const settle = async (outcome: Outcome<unknown>): Promise<void> => {
        resolve(JSON.stringify(outcome))
        await settled()
      }
      calls.push({
        name,
        id,
        input: input as Record<string, unknown>,
        cancelled: false,
        answer: (value) => settle({ ok: true, value }),
        fail: (reason) => settle({ ok: false, failure: { ...failure('internal', 'Failed.'), ...reason } }),
      })
    })
  const callsOf = (name: string): PendingCall[] => calls.filter((pending) => pending.name === name)
  const subscribe = (name: string) => (listener: (payload: string) => void) => {
    const own = listeners.get(name) ?? new Set()
    listeners.set(name, own.add(listener))
    return () => own.delete(listener)
  }
  window.slipway = {
    calls: Object.fromEntries(callNames.map((name) => [name, call(name)])),
    events: Object.fromEntries(eventNames.map((name) => [name, subscribe(name)])),
    cancel: (id: string) => {
      for (const pending of calls) if (pending.id === id) pending.cancelled = true
    },
  } as unknown as Bridge
  return {
    calls,
    callsOf,
    newest: (name) => {
      const latest = callsOf(name).at(-1)
      if (!latest) throw new Error(`No call of ${name}.`)
      return latest
    },
    emit: (name, payload) => listeners.get(name)?.forEach((listener) => listener(JSON.stringify(payload))),
  }
}

/** Runs everything that waits for an already settled promise. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

/** The window's state with these environments, the first being the current one. */
export const stateOf = (...ids: [string, ...string[]]): AppState => ({
  version: '0.0.0',
  engine: 'Electron 45.4.1',
  trialEngine: false,
  environments: ids.map((id) => ({
    id,
    name: id,
    storage: 'keychain',
    service: id,
    problem: null,
    profile: environmentView({ baseUrl: `https://${id}.example.com` }),
  })),
  currentEnvironmentId: ids[0],
  keychain: { state: 'available', message: null },
  connection: { environmentId: ids[0], state: 'unknown', at: null, reason: null },
})

/** The window's state with the environments "a" and "b", whose service was reached. */
export const appState = (currentEnvironmentId: string): AppState => ({
  ...stateOf('a', 'b'),
  currentEnvironmentId,
  connection: { environmentId: currentEnvironmentId, state: 'online', at: null, reason: null },
})
