import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreationEntry } from '@contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Display, startDisplay } from '../e2e/support/processes'
import { Harness } from '../harness/process'
import { makeAuthority } from '../support/main/certificates'
import type { Fault } from './fault-proxy'
import { runs } from '../support/properties/runs'
import { quick } from './scripted-service'
import {
  anyBatch,
  type Batch,
  type Case,
  type Lengths,
  timeLimitMs,
  type Transport,
  transports,
} from './cases'
import { type Surroundings, Trial } from './trial'

/** How many batches of creations are tried over each transport. */
const batches = Math.ceil(runs / 25)
const batchSize = 8

let display: Display
let folder: string
let harness: Harness
const around = {} as Omit<Surroundings, 'transport'>

const startHarness = (): Promise<Harness> => Harness.start(join(folder, 'electron'), display.environment)

beforeAll(async () => {
  display = await startDisplay()
  folder = await mkdtemp(join(tmpdir(), 'slipway-faults-'))
  const authority = await makeAuthority()
  around.certificate = await authority.issue()
  around.network = { trust: { kind: 'authority', pem: authority.pem }, proxy: { mode: 'none' } }
  harness = await startHarness()
})

afterAll(async () => {
  await harness.kill()
  await display.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const quietCase: Case = {
  habits: quick,
  colleague: false,
  first: [],
  look: [],
  again: [],
}

/** Counts how attempts ended, and the faults of each kind. */
class Tally {
  readonly #counts = new Map<string, number>()

  add(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0
  }

  toString(): string {
    return [...this.#counts].map(([what, count]) => `${count} ${what}`).join(', ')
  }
}

/** The bytes that pass on a connection without faults. */
async function measure(transport: Transport): Promise<Lengths> {
  const trial = await Trial.start(quietCase, { ...around, transport }, 0)
  await open([trial], await mkdtemp(join(folder, 'journal-')))
  await trial.create(harness, [], null)
  const [entry] = await trial.compare(harness, true)
  expect([...trial.wrong]).toEqual([])
  expect(entry?.state).toBe('created')
  await harness.ask('close', null)
  await trial.close()
  return { ...trial.proxy.passed }
}

const open = (trials: readonly Trial[], journal: string): Promise<null> =>
  harness.ask('open', {
    folder: journal,
    environments: trials.map(({ environment }) => environment),
    timeLimitMs,
  })

const unconfirmed = (entries: readonly CreationEntry[]): CreationEntry | undefined =>
  entries.find(({ state }) => state === 'unconfirmed')

/**
 * How many batches run in one process. Each of their environments uses a network session, which Chromium never frees.
 * Another session at the same host is impossible, because Chromium remembers its decision about the certificate.
 */
const batchesInOneProcess = 5
let batchesSoFar = 0

/** Tries a batch. Returns what was wrong. */
async function attempt(batch: Batch, transport: Transport, tally: Tally): Promise<string[]> {
  batchesSoFar += 1
  if (batchesSoFar % batchesInOneProcess === 0) {
    await harness.kill()
    harness = await startHarness()
  }
  const journal = await mkdtemp(join(folder, 'journal-'))
  const trials = await Promise.all(
    batch.cases.map((plan, number) => Trial.start(plan, { ...around, transport }, number)),
  )
  for (const { proxy } of trials) proxy.onFault = ({ kind }) => tally.add(kind)
  try {
    await open(trials, journal)
    const killed = batch.kill === null ? null : killAtFault(trials[0]!)
    await Promise.all(trials.map((trial) => trial.create(harness, firstFaults(trial, batch), null)))
    killed?.stop()
    if (killed?.happened) {
      await harness.ended
      tally.add('kill')
      harness = await startHarness()
      await open(trials, journal)
    }
    await Promise.all(trials.map(goOn))
    for (const trial of trials) for (const { state } of await trial.compare(harness, true)) tally.add(state)
    await harness.ask('close', null)
  } finally {
    await Promise.all(trials.map((trial) => trial.close()))
  }
  return trials.flatMap(({ plan, wrong }) => [...wrong].map((what) => `${what}: ${JSON.stringify(plan)}`))
}

/** Looks a first attempt up, and sends it again with consent if the result stays open. */
async function goOn(trial: Trial): Promise<void> {
  // The process may have been killed before this case.
  if ((await trial.attempts(harness)).length === 0) {
    trial.forgetFirst()
    await trial.create(harness, trial.plan.first, null)
  }
  const entry = unconfirmed(await trial.compare(harness))
  if (!entry) return
  await trial.createWithoutConsent(harness)
  await trial.compare(harness)
  await trial.look(harness, entry, trial.plan.look)
  const seen = unconfirmed(await trial.compare(harness))
  if (!seen) return
  await trial.create(harness, trial.plan.again, seen)
  await trial.compare(harness)
  await trial.look(harness, seen, [])
}

/** The faults of a trial's first attempt. If the process is killed in it, nothing passes afterwards. */
const firstFaults = (trial: Trial, { cases: [first], kill }: Batch): readonly Fault[] =>
  kill !== null && trial.plan === first ? [{ kind: 'hold', ...kill }] : trial.plan.first

/** Kills the process when the first fault of a trial happens, until it is stopped: an answer may end before the fault. */
function killAtFault(trial: Trial): { happened: boolean; stop: () => void } {
  const { onFault } = trial.proxy
  const killed = { happened: false, stop: () => void (trial.proxy.onFault = onFault) }
  trial.proxy.onFault = (fault) => {
    onFault(fault)
    if (!killed.happened) void harness.kill()
    killed.happened = true
  }
  return killed
}

const named = Object.values<Transport>(transports).map((transport) => [transport.name, transport] as const)

describe.each(named)('over %s', (_name, transport) => {
  test(
    'what Slipway reports of a creation is true, and nothing is sent twice without consent',
    async ({ task }) => {
      const lengths = await measure(transport)
      const tally = new Tally()
      try {
        await fc.assert(
          fc.asyncProperty(anyBatch(lengths, batchSize), async (batch) => {
            expect(await attempt(batch, transport, tally)).toEqual([])
          }),
          // Shrinking a counterexample takes longer than reading it: it is one of a dozen cases.
          { numRuns: batches, endOnFailure: true },
        )
      } finally {
        process.stdout.write(`${transport.name}: ${JSON.stringify(lengths)}; ${tally.toString()}\n`)
      }
      // Both results must occur, or the faults don't reach what they are meant for.
      for (const state of ['created', 'unconfirmed']) expect(tally.of(state), state).toBeGreaterThan(0)
      Object.assign(task.meta, { tried: batches * batchSize })
    },
    60_000 * batches,
  )
})

// A proxy, HTTP/2 and a gateway change how a connection begins, not how long a request may take.
describe.each(
  named.filter(([, { protocol, insideTls, isProxied }]) => protocol !== 'http2' && !insideTls && !isProxied),
)('over %s', (_name, transport) => {
  test('a request that stalls fails within the time limit, and blocks nothing else', async () => {
    // More than the system accepts from a sender while nobody reads.
    const plan: Case = { ...quietCase, padding: 16_000_000 }
    const surroundings = { ...around, transport }
    const faults = [0, 300, 100_000].flatMap((at): Fault[] => [
      { kind: 'hold', direction: 'request', at },
      { kind: 'stall', ms: 3 * timeLimitMs, direction: 'request', at },
    ])
    const trials = await Promise.all(faults.map((_, number) => Trial.start(plan, surroundings, number)))
    try {
      await open(trials, await mkdtemp(join(folder, 'journal-')))
      const began = performance.now()
      const creating = Promise.all(
        trials.map((trial, index) => trial.create(harness, [faults[index]!], null)),
      )
      await harness.ask('attempts', null)
      await creating
      expect(performance.now() - began).toBeLessThan(30_000)
      for (const [index, trial] of trials.entries()) {
        const [entry] = await trial.compare(harness, true)
        const outcome = trial.outcomes[0]
        expect(outcome?.ok === false && outcome.failure.code, JSON.stringify(faults[index])).toBe('timeout')
        // Before TLS is set up, Chromium hasn't asked for the body.
        const isWithoutConnection = !transport.insideTls && transport.protocol !== 'plain' && index < 4
        expect(outcome?.ok === false && outcome.failure.sent).toBe(isWithoutConnection ? 'no' : 'maybe')
        expect(entry?.state).toBe(isWithoutConnection ? 'refused' : 'unconfirmed')
        expect(trial.service.arrived).toEqual([])
        expect([...trial.wrong]).toEqual([])
      }
      await harness.ask('close', null)
    } finally {
      await Promise.all(trials.map((trial) => trial.close()))
    }
  })
})

describe('killed (kill -9)', () => {
  test.each<[string, Fault, boolean]>([
    ['between the journal and the request', { kind: 'hold', direction: 'request', at: 0 }, false],
    ['after the request', { kind: 'hold', direction: 'answer', at: 1 }, true],
    ['in the answer', { kind: 'hold', direction: 'answer', at: 300 }, true],
  ])(
    '%s, an attempt is unconfirmed, and nothing is sent without consent to it',
    async (_when, fault, made) => {
      const trial = await Trial.start(quietCase, { ...around, transport: transports.plain }, 0)
      const journal = await mkdtemp(join(folder, 'journal-'))
      try {
        await open([trial], journal)
        trial.proxy.onFault = () => void harness.kill()
        await trial.create(harness, [fault], null)
        await harness.ended
        harness = await startHarness()
        await open([trial], journal)
        expect(await trial.attempts(harness)).toMatchObject([
          { state: 'unconfirmed', failure: { sent: 'maybe' } },
        ])
        await trial.createWithoutConsent(harness)
        const [attempt] = await trial.attempts(harness)
        await trial.look(harness, attempt!, [])
        const [seen] = await trial.compare(harness, true)
        expect(seen).toMatchObject(
          made
            ? { state: 'created', lookup: { verdict: 'found' } }
            : { state: 'unconfirmed', lookup: { verdict: 'not-found' } },
        )
        if (!made) await sendAgain(trial, seen!)
        expect([...trial.wrong]).toEqual([])
        expect(trial.service.deployments).toHaveLength(1)
        await harness.ask('close', null)
      } finally {
        await trial.close()
      }
    },
  )
})

/** Sends a name again: a renamed draft takes no consent with it, and two presses, or two windows, send it once. */
async function sendAgain(trial: Trial, seen: CreationEntry): Promise<void> {
  const again = { attemptId: seen.id, deploymentId: null, sentAgain: seen.sentAgain }
  const ask = (name: string) =>
    harness.ask('create', {
      environmentId: trial.environmentId,
      request: { ...trial.request('attempt-1'), name },
      again,
    })
  expect(await ask(`${trial.name}-renamed`)).toMatchObject({
    failure: { code: 'attempt-changed', sent: 'no' },
  })
  const presses = await Promise.all([ask(trial.name), ask(trial.name)])
  expect(presses.filter(({ ok }) => ok)).toHaveLength(1)
  expect(await ask(trial.name)).toMatchObject({ failure: { code: 'attempt-changed', sent: 'no' } })
  expect(trial.service.arrived).toEqual(['attempt-1'])
}
