import { callNames, failure, type Outcome, succeed } from '@contract'
import { describe, expect, it, vi } from 'vitest'
import { answerCall, type Handlers, RunningCalls } from '../../../../../electron/main/ipc'
import { JsonText } from '../../../../../electron/main/processes/answers'

vi.mock('electron', () => ({ ipcMain: {} }))

const unanswered = Object.fromEntries(
  callNames.map((name) => [
    name,
    () => {
      throw new Error(`${name} was not expected`)
    },
  ]),
) as unknown as Handlers

function createCaller(handlers: Partial<Handlers> = {}) {
  const running = new RunningCalls()
  const report = vi.fn()
  const call = async (name: keyof Handlers, input: unknown, callId: unknown = 'c1', caller = 1) =>
    JSON.parse(
      await answerCall(
        { name, input: JSON.stringify(input), callId, caller },
        { ...unanswered, ...handlers },
        running,
        report,
      ),
    ) as Outcome<unknown>
  return { running, report, call }
}

const page = { environmentId: 'a', query: {} }
const cachePage = { environmentId: 'a', request: { query: {}, offset: 0, limit: 10, snapshot: null } }

/** A handler that never answers, and reports when its signal aborts. */
function waiting() {
  const aborted = vi.fn()
  const handler = (_input: unknown, signal: AbortSignal) => {
    signal.addEventListener('abort', aborted)
    return new Promise<never>(() => undefined)
  }
  return { aborted, handler }
}

describe('answering calls', () => {
  it('gives a handler the parsed input and returns its outcome', async () => {
    const handler = vi.fn(() => Promise.resolve(succeed(null)))
    const { call } = createCaller({ 'deployments.page': handler as unknown as Handlers['deployments.page'] })
    expect(await call('deployments.page', page)).toEqual({ ok: true, value: null })
    expect(handler).toHaveBeenCalledWith(
      { environmentId: 'a', query: { limit: 20, offset: 0 } },
      expect.any(AbortSignal),
    )
  })

  it.each([undefined, { environmentId: 'a' }, '{"environmentId":'])(
    'refuses input that is not JSON text: %o',
    async (input) => {
      const { running, report } = createCaller()
      const text = await answerCall(
        { name: 'app.state', input, callId: 'c1', caller: 1 },
        unanswered,
        running,
        report,
      )
      expect(JSON.parse(text)).toMatchObject({ failure: { code: 'invalid-input' } })
      expect(report).not.toHaveBeenCalled()
    },
  )

  it('passes JSON text on unchanged', async () => {
    // Two spaces and an order of members that a new serialisation wouldn't keep.
    const text = '{ "2": [],  "1": "\\u0061" }'
    const outcome = await answerCall(
      { name: 'cache.page', input: JSON.stringify(cachePage), callId: 'c1', caller: 1 },
      { ...unanswered, 'cache.page': () => succeed(new JsonText(text)) },
      new RunningCalls(),
      vi.fn(),
    )
    expect(outcome).toBe(`{"ok":true,"value":${text}}`)
  })

  it.each([
    ['a member too much', { ...page, extra: 1 }],
    ['no member', {}],
    ['no object', 'text'],
    ['a limit out of bounds', { environmentId: 'a', query: { limit: 101 } }],
    ['a wrong type', { environmentId: 5, query: {} }],
    ['an identifier that Slipway never gave', { environmentId: 'x'.repeat(101), query: {} }],
  ])('refuses an input with %s and names the problem', async (_what, input) => {
    const outcome = await createCaller().call('deployments.page', input)
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'invalid-input' } })
    if (!outcome.ok) expect(outcome.failure.issues.length).toBeGreaterThan(0)
  })

  it('reveals nothing of an error that a handler throws, but reports it', async () => {
    const error = new Error('inner secret')
    for (const handler of [
      () => Promise.reject(error),
      () => {
        throw error
      },
    ]) {
      const { call, report } = createCaller({ 'app.state': handler })
      const outcome = await call('app.state', {})
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'internal' } })
      expect(JSON.stringify(outcome)).not.toContain('inner secret')
      expect(report).toHaveBeenCalledWith(error)
    }
  })

  it('cancels the call with that identifier and caller, and no other', async () => {
    const { handler, aborted } = waiting()
    const { call, running } = createCaller({ 'deployments.page': handler })
    const answer = call('deployments.page', page, 'mine', 1)
    running.cancel(1, 'unknown')
    running.cancel(2, 'mine')
    expect(aborted).not.toHaveBeenCalled()
    running.cancel(1, 'mine')
    expect(await answer).toMatchObject({ failure: { code: 'cancelled' } })
    expect(aborted).toHaveBeenCalledOnce()
    running.cancel(1, 'mine')
  })

  it.each([
    ['held back', failure('cancelled', 'The call was cancelled.', { sent: 'no' })],
    ['sent', failure('connection-lost', 'Lost.', { sent: 'maybe' })],
  ])('waits for the end of a cancelled creation: %s', async (_what, reason) => {
    let settle: (outcome: Outcome<never>) => void = () => undefined
    const create = () => new Promise<Outcome<never>>((resolve) => (settle = resolve))
    const { call, running } = createCaller({ 'deployments.create': create })
    const configs = { source_config: {}, source_revision_config: {} }
    const request = { name: 'agent', source: 'internal_docker', ...configs, secrets: [] }
    const answered = vi.fn()
    const answer = call('deployments.create', { environmentId: 'a', request, confirmedName: null })
    void answer.then(answered)
    running.cancel(1, 'c1')
    await new Promise(setImmediate)
    expect(answered).not.toHaveBeenCalled()
    settle({ ok: false, failure: reason })
    expect(await answer).toEqual({ ok: false, failure: reason })
  })

  it('ends all calls of a window that no longer exists', async () => {
    const { handler } = waiting()
    const { call, running } = createCaller({ 'deployments.page': handler, 'app.state': handler })
    const answers = [call('deployments.page', page, 'a', 7), call('app.state', {}, 'b', 7)]
    running.cancelAllOf(7)
    for (const answer of answers) expect(await answer).toMatchObject({ failure: { code: 'cancelled' } })
  })

  it('ends the calls of an environment that is no longer the current one', async () => {
    const { handler } = waiting()
    let settle: (outcome: Outcome<never>) => void = () => undefined
    const state = () => new Promise<Outcome<never>>((resolve) => (settle = resolve))
    const { call, running } = createCaller({ 'deployments.page': handler, 'app.state': state })
    const old = call('deployments.page', page, 'a')
    const current = call('deployments.page', { ...page, environmentId: 'b' }, 'b')
    const neither = call('app.state', {}, 'c')
    running.keepEnvironment('b')
    expect(await old).toMatchObject({ failure: { code: 'environment-changed' } })
    settle({ ok: false, failure: failure('internal', 'answered after all') })
    expect(await neither).toMatchObject({ failure: { message: 'answered after all' } })
    running.cancel(1, 'b')
    expect(await current).toMatchObject({ failure: { code: 'cancelled' } })
  })

  it('ignores an answer that came after the change', async () => {
    const handler = (_input: unknown, signal: AbortSignal) =>
      new Promise<never>((resolve) =>
        signal.addEventListener('abort', () => resolve(succeed({ of: 'the old one' }) as never)),
      )
    const { call, running } = createCaller({ 'deployments.page': handler })
    const answer = call('deployments.page', page)
    running.keepEnvironment('b')
    expect(await answer).toMatchObject({ failure: { code: 'environment-changed' } })
  })
})
