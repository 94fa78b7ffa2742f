import { type EnvironmentInput, type Outcome, fail, succeed } from '@contract'
import {
  createEnvironments,
  type Environments,
  type EnvironmentsOptions,
} from '../../../electron/main/environments'
import { type Refusals, createRefusals } from '../../../electron/main/http/trust'
import type { HttpClient, HttpRequest } from '../../../electron/main/http/client'
import type { BuiltInService } from '../../../electron/main/processes/built-in-service'
import {
  type Keychain,
  keychainEnded,
  keychainFailure,
  locked,
  noAnswer,
} from '../../../electron/main/processes/keychain'
import { jsonBody } from '../builders/answer-bodies'
import { temporaryFolder } from '../temporary-folder'

/** How a call of the fake keychain ends, other than with an answer. */
export type Accident = 'hangs-before' | 'hangs-after' | 'fails-before' | 'fails-after'

/**
 * A keychain that behaves as keytar does on Linux: locked, it answers null and false and refuses to write; missing,
 * it refuses everything. Accidents can happen before or after a call's effect.
 */
export class FakeKeychain implements Keychain {
  entries = new Map<string, string>()
  state: 'open' | 'locked' | 'missing' = 'open'
  looksEmptyWhenLocked = true
  entryLimit: number | null = null
  calls: string[] = []
  /** The accident that happens once, after this many calls. */
  accident: { after: number; kind: Accident } | null = null
  private hanging: (() => void) | null = null
  /** Called when a call starts to hang. */
  onHang: () => void = () => undefined

  get = (account: string): Promise<Outcome<string | null>> =>
    this.call(`get ${account}`, () =>
      succeed(this.state === 'locked' ? null : (this.entries.get(account) ?? null)),
    )

  set = (account: string, value: string): Promise<Outcome<null>> =>
    this.call(`set ${account}`, () => {
      if (this.state === 'locked') return fail(locked())
      this.entries.set(account, value)
      return succeed(null)
    })

  delete = (account: string): Promise<Outcome<boolean>> =>
    this.call(`delete ${account}`, () =>
      succeed(this.state === 'locked' ? false : this.entries.delete(account)),
    )

  get hangs(): boolean {
    return this.hanging !== null
  }

  /** Answers the hanging call as the client answers one that it gave up. */
  giveUp = (): void => {
    this.hanging?.()
    this.hanging = null
  }

  renewed = 0
  renew = (): void => {
    this.renewed += 1
  }

  private async call<Value>(name: string, effect: () => Outcome<Value>): Promise<Outcome<Value>> {
    this.calls.push(name)
    await Promise.resolve()
    if (this.state === 'missing') {
      return fail(keychainFailure('Cannot autolaunch D-Bus without X11 $DISPLAY', 'linux'))
    }
    const accident = this.accident && this.accident.after-- === 0 ? this.accident.kind : null
    if (accident) this.accident = null
    if (accident === 'fails-before') return fail(keychainEnded())
    if (accident === 'hangs-before') return this.hang()
    const outcome = effect()
    if (accident === 'fails-after') return fail(keychainEnded())
    if (accident === 'hangs-after') return this.hang()
    return outcome
  }

  private hang(): Promise<Outcome<never>> {
    return new Promise((resolve) => {
      this.hanging = () => resolve(fail(noAnswer(null)))
      this.onHang()
    })
  }
}

/** An HTTP client that records requests and answers as a test says. */
export class FakeHttp implements HttpClient {
  requests: HttpRequest[] = []
  json: unknown = { resources: [], offset: 0 }

  request: HttpClient['request'] = async (request) => {
    this.requests.push(request)
    return succeed({ status: 200, body: jsonBody(this.json) })
  }
}

/** Built-in services that are running at once. */
export function fakeBuiltIn(): BuiltInService & { starts: string[] } {
  const starts: string[] = []
  return {
    starts,
    start: async (mode) => {
      starts.push(mode)
      return succeed({ baseUrl: `http://127.0.0.1:4600/${mode}`, apiKey: 'key' })
    },
    running: () => null,
    onChange: () => () => undefined,
    close: async () => undefined,
  }
}

/** Environments on fakes, in a new folder unless one is given. */
export function open(options: Partial<EnvironmentsOptions> = {}): {
  environments: Environments
  keychain: FakeKeychain
  http: FakeHttp
  builtIn: ReturnType<typeof fakeBuiltIn>
  refusals: Refusals
  folder: string
} {
  const keychain = (options.keychain as FakeKeychain | undefined) ?? new FakeKeychain()
  const http = (options.http as FakeHttp | undefined) ?? new FakeHttp()
  const builtIn = fakeBuiltIn()
  const folder = options.userDataFolder ?? temporaryFolder()
  const refusals = createRefusals()
  const environments = createEnvironments({
    builtIn,
    refusals,
    ask: () => Promise.resolve(true),
    ...options,
    keychain,
    http,
    userDataFolder: folder,
  })
  return { environments, keychain, http, builtIn, refusals, folder }
}

/** What the environment dialog saves. */
export function draft(changes: Partial<EnvironmentInput> = {}): EnvironmentInput {
  return {
    id: null,
    name: 'Production',
    baseUrl: 'https://deploy.example.com',
    mode: 'cloud',
    colour: 'brown',
    protected: true,
    readOnly: false,
    headers: [{ name: 'X-Api-Key', value: 'secret' }],
    integrations: [],
    nicknames: {},
    trust: { kind: 'system' },
    proxy: { mode: 'system' },
    ...changes,
  }
}

/** The value of an outcome that must be a success. */
export function valueOf<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(`failed: ${JSON.stringify(outcome.failure)}`)
  return outcome.value
}

/** The failure of an outcome that must be one. */
export function failureOf<Value>(outcome: Outcome<Value>) {
  if (outcome.ok) throw new Error(`succeeded: ${JSON.stringify(outcome.value)}`)
  return outcome.failure
}

/** A keychain with these entries that looks empty while it is locked, as on Linux. */
export function keychainInMemory(entries: Map<string, string>, isLocked: () => boolean): Keychain {
  return {
    looksEmptyWhenLocked: true,
    entryLimit: null,
    get: async (account) => succeed(isLocked() ? null : (entries.get(account) ?? null)),
    async set(account, value) {
      if (isLocked()) return fail(locked())
      entries.set(account, value)
      return succeed(null)
    },
    delete: async (account) => succeed(!isLocked() && entries.delete(account)),
    giveUp: () => undefined,
    renew: () => undefined,
  }
}
