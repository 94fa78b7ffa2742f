import { calls, callNames, type CallName, type EnvironmentView } from '@contract'
import fc from 'fast-check'
import { createRequests, type KnownMembers, valuesOf } from './arbitraries'

/** A call of the contract as a page could make it. */
export interface GeneratedCall {
  name: CallName
  input: unknown
}

/**
 * A placeholder for something that only a run knows: `@KIND:NUMBER` as a whole text. `filledIn` replaces it with the
 * run's own value, so that calls name things that exist: an environment, a refusal, a mark.
 */
const placeholder = /^@([a-z]+):(\d+)$/

const standsFor = (kind: string, max: number): fc.Arbitrary<string> =>
  fc.nat({ max }).map((number) => `@${kind}:${number}`)

/** The same, and half of the time the first one: the newest, or that of the call's environment. */
const oftenFirst = (kind: string, max: number): fc.Arbitrary<string> =>
  fc.oneof(fc.constant(`@${kind}:0`), standsFor(kind, max))

/** A secret that was never entered before. */
const freshSecret = fc.constant('@secret:0')

/** Mostly null, which keeps the stored value. */
const keptOrFresh = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: freshSecret },
)

/** Keeps a member as the environment has it: most edits change one thing. */
const unchanged = '@unchanged'

const orKept = (other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(unchanged) }, { weight: 1, arbitrary: other })

const environmentIds = oftenFirst('environment', 3)

/** The addresses and settings that a run chooses from. They are few, so that they coincide. */
export interface Places {
  baseUrls: readonly string[]
  pems: readonly string[]
  proxies: readonly { host: string; port: number }[]
}

/** Calls that enter and send secrets come more often. */
const weights: Partial<Record<CallName, number>> = {
  'environments.save': 20,
  'environments.check': 18,
  'environments.trust': 8,
  'deployments.page': 14,
  'deployments.create': 50,
  'drafts.save': 7,
  'drafts.list': 6,
}

/** Any calls of the contract. Their inputs are derived from its schemas, with members that make them meaningful. */
export function generatedCalls(places: Places): fc.Arbitrary<GeneratedCall[]> {
  const one = fc.oneof(
    ...callNames.map((name) => ({
      weight: weights[name] ?? 1,
      arbitrary: valuesOf(calls[name].input, membersOf(name, places)).map((input) => ({ name, input })),
    })),
  )
  return fc.array(one, { minLength: 2, maxLength: 14 })
}

function membersOf(name: CallName, { baseUrls, pems, proxies }: Places): KnownMembers {
  const isOfEnvironments = name.startsWith('environments.')
  const proxy = fc.oneof(
    fc.constantFrom({ mode: 'system' }, { mode: 'none' }),
    fc
      .record({
        mode: fc.constant('manual'),
        address: fc.constantFrom(...proxies),
        credentials: fc.option(
          fc.record({ userName: fc.constantFrom('ann', 'bob'), password: keptOrFresh }),
          { freq: 1, nil: null },
        ),
      })
      .map(({ address, ...rest }) => ({ ...rest, ...address })),
    fc.constantFrom(...proxies).map(({ host, port }) => ({
      mode: 'pac-text',
      text: `function FindProxyForURL() { return "PROXY ${host}:${port}" }`,
    })),
  )
  const trust = fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: 'system' }) },
    { weight: 1, arbitrary: fc.constantFrom(...pems).map((pem) => ({ kind: 'authority', pem })) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('exact'),
        refusalId: fc.option(standsFor('refusal', 3), { nil: null }),
      }),
    },
  )
  const header = fc.record({
    name: fc.constantFrom('X-Api-Key', 'x-api-key', 'X-Tenant-Id', 'Authorization'),
    value: keptOrFresh,
  })
  const headers = fc.uniqueArray(header, { maxLength: 3, selector: ({ name }) => name.toLowerCase() })
  const secrets = fc.array(
    fc.record({
      name: fc.constantFrom('ONE', 'TWO'),
      value: fc.oneof(freshSecret, oftenFirst('mark', 3)),
    }),
    { maxLength: 2 },
  )
  return {
    environmentId: environmentIds,
    refusalId: standsFor('refusal', 3),
    baseUrl: orKept(fc.constantFrom(...baseUrls)),
    mode: fc.constantFrom('cloud', 'self-hosted'),
    ...(isOfEnvironments
      ? {
          id: name === 'environments.save' ? fc.option(environmentIds, { nil: null }) : environmentIds,
          name: fc.constantFrom('One', 'Two', 'Three', 'Four'),
          headers: orKept(headers),
          integrations: fc.constant([]),
          nicknames: fc.constantFrom({}, { '0f8fad5b-d9cb-469f-a165-70867728950e': 'Team forge' }),
          trust: orKept(trust),
          proxy: orKept(proxy),
          pem: fc.constantFrom(...pems),
        }
      : {
          id: fc.uuid(),
          request: createRequests.chain((request) => secrets.map((some) => ({ ...request, secrets: some }))),
          confirmedName: fc.constantFrom(null, 'One', 'Two'),
          again: fc.constant(null),
          query: fc.constant({ limit: 20, offset: 0 }),
          content: secrets.map((some) => ({ entered: { name: 'drafted', secrets: some } })),
        }),
  }
}

/** An input with each placeholder replaced by the value of `find`. */
export function filledIn(input: unknown, find: (kind: string, number: number) => string): unknown {
  if (typeof input === 'string') {
    const [, kind, number] = placeholder.exec(input) ?? []
    return kind === undefined ? input : find(kind, Number(number))
  }
  if (Array.isArray(input)) return input.map((item) => filledIn(item, find))
  if (typeof input !== 'object' || input === null) return input
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, filledIn(value, find)]))
}

/** An input for an environment. Members to keep are taken from what the page knows of it. */
export function withKept(input: unknown, profile: EnvironmentView | null): unknown {
  if (typeof input !== 'object' || input === null) return input
  const asItIs = profile ? inputOf(profile) : empty
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, value === unchanged ? asItIs[name] : value]),
  )
}

const empty: Record<string, unknown> = {
  baseUrl: 'http://a.example',
  headers: [],
  trust: { kind: 'system' },
  proxy: { mode: 'system' },
}

function inputOf({ baseUrl, headerNames, trust, proxy }: EnvironmentView): Record<string, unknown> {
  return {
    baseUrl,
    headers: headerNames.map((name) => ({ name, value: null })),
    trust:
      trust.kind === 'exact'
        ? { kind: trust.kind, refusalId: null }
        : trust.kind === 'authority'
          ? { kind: trust.kind, pem: trust.pem }
          : trust,
    proxy: proxy.mode === 'manual' ? manualInput(proxy) : proxy,
  }
}

function manualInput({ mode, host, port, userName }: EnvironmentView['proxy'] & { mode: 'manual' }): object {
  return { mode, host, port, credentials: userName === null ? null : { userName, password: null } }
}
