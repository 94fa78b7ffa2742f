import fc from 'fast-check'
import type { Direction, Fault } from './fault-proxy'
import type { Habits } from './scripted-service'

/** How a client reaches the service, and where the faults are. */
export interface Transport {
  name: string
  protocol: 'plain' | 'tls' | 'http2'
  /** Whether the faults hit the content of TLS, as at a gateway that ends TLS, or the encrypted bytes. */
  insideTls: boolean
  /** Whether the client uses the network as a proxy, without a tunnel. */
  isProxied: boolean
}

export const transports = {
  plain: { name: 'plain HTTP', protocol: 'plain', insideTls: false, isProxied: false },
  proxied: { name: 'plain HTTP through a proxy', protocol: 'plain', insideTls: false, isProxied: true },
  tls: { name: 'TLS', protocol: 'tls', insideTls: false, isProxied: false },
  http2: { name: 'HTTP/2 over TLS', protocol: 'http2', insideTls: false, isProxied: false },
  insideTls: { name: 'a gateway that ends TLS', protocol: 'plain', insideTls: true, isProxied: false },
} as const satisfies Record<string, Transport>

/** Whether the faults change the text of HTTP itself, so that not every change can be detected. */
export const isReadable = ({ protocol }: Transport): boolean => protocol === 'plain'

/** The time limit of a request in milliseconds: quick answers keep it on a busy machine, long delays exceed it. */
export const timeLimitMs = 3_000
const longDelayMs = timeLimitMs + 1_000

/** A creation with all its faults. */
export interface Case {
  habits: Habits
  /** How many more characters each request has. */
  padding?: number
  /** Whether somebody else has a deployment of the same name with another content. */
  colleague: boolean
  /** The faults of the connections of the first attempt, of the first lookup and of the next attempt. */
  first: Fault[]
  look: Fault[]
  again: Fault[]
}

/** Cases that run at the same time in one process. */
export interface Batch {
  cases: Case[]
  /** Where the process is killed during the first case's first attempt; null if it isn't. */
  kill: { direction: Direction; at: number } | null
}

/** How many bytes pass in each direction without faults. */
export type Lengths = Record<Direction, number>

/** Answers in place of the service's. */
const replies = [
  'HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 11\r\n\r\n<h1>502</h1>',
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
  'HTTP/1.1 303 See Other\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 14\r\n\r\n<p>Sign in</p>',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'SSH-2.0-OpenSSH_9.2\r\n',
]

/** Any fault of a connection with this many bytes. */
export function anyFault(lengths: Lengths): fc.Arbitrary<Fault> {
  const place = fc
    .constantFrom<Direction>('request', 'answer')
    .chain((direction) =>
      fc.record({ direction: fc.constant(direction), at: fc.nat({ max: lengths[direction] }) }),
    )
  const size = fc.integer({ min: 1, max: 2_000 })
  const kinds = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('cut'), how: fc.constantFrom('fin', 'rst') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('hold') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('stall'), ms: fc.constant(longDelayMs) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('delay'), ms: fc.constantFrom(20, 200, longDelayMs) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('corrupt'), flip: fc.integer({ min: 1, max: 255 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat'), bytes: size }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('reorder'), bytes: size }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('reply'), text: fc.constantFrom(...replies) }) },
  )
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc.tuple(place, kinds).map(([where, what]) => ({ ...where, ...what })),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('replay' as const),
        answer: fc.constantFrom('first' as const, 'second' as const),
      }),
    },
  )
}

/** Null three times out of four. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })

/** Statuses that may answer a second copy of a request. Any other refusal counts as the answer to the only one. */
const doubtful = [408, 409, 429]

const day = 24 * 3600 * 1000

const habits: fc.Arbitrary<Habits> = fc.record({
  unique: fc.boolean(),
  refuses: fc.oneof(
    { weight: 7, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  createMs: fc.constantFrom(0, 0, 30, 600),
  answerMs: fc.constantFrom(0, 0, 30, 600),
  repeats: seldom(fc.record({ status: fc.constantFrom(...doubtful), early: fc.boolean() })),
  clock: fc.record({ isShown: fc.boolean(), fastMs: fc.constantFrom(0, 0, -day, day) }),
})

/** Any batch of this many cases. */
export function anyBatch(lengths: Lengths, size: number): fc.Arbitrary<Batch> {
  const faults = (maxLength: number): fc.Arbitrary<Fault[]> => fc.array(anyFault(lengths), { maxLength })
  const one: fc.Arbitrary<Case> = fc.record({
    habits,
    colleague: fc.oneof(
      { weight: 5, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    first: fc.oneof(
      { weight: 12, arbitrary: fc.array(anyFault(lengths), { minLength: 1, maxLength: 2 }) },
      { weight: 1, arbitrary: fc.constant<Fault[]>([]) },
    ),
    look: faults(1),
    again: faults(2),
  })
  return fc.record({
    cases: fc.array(one, { minLength: size, maxLength: size }),
    kill: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom<Direction>('request', 'answer')
          .chain((direction) =>
            fc.record({ direction: fc.constant(direction), at: fc.nat({ max: lengths[direction] }) }),
          ),
      },
    ),
  })
}
