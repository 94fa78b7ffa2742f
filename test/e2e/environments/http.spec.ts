import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Failure, JournalEntry, Outcome } from '../../../electron/contract'
import { addEnvironment, call, secretHeader, select } from '../support/bridge'
import { expect, test as base } from '../support/fixtures'
import { type Behaviour, HostileService } from '../support/services/hostile-service'

const test = base.extend<{ service: HostileService }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures out of this pattern
  service: async ({}, use) => {
    const service = await HostileService.start()
    await use(service)
    service.close()
  },
})

const list = { limit: 20, offset: 0 }

const request = {
  name: 'agent',
  source: 'internal_docker' as const,
  source_config: {},
  source_revision_config: {},
  secrets: [],
}

const failureOf = (outcome: Outcome<unknown>): Failure => {
  if (outcome.ok) throw new Error(`expected a failure, got ${JSON.stringify(outcome.value)}`)
  return outcome.failure
}

const quick: [Behaviour, Partial<Failure>, number][] = [
  // behaviour, the failure, the number of requests
  ['endless', { code: 'too-large', retryable: false }, 1],
  ['bomb', { code: 'too-large', retryable: false }, 1],
  ['other-origin', { code: 'redirected', status: 302 }, 1],
  ['circle', { code: 'redirected', status: 302 }, 6],
  ['redirect-to-file', { code: 'redirected', status: 302 }, 1],
  ['redirect-nowhere', { code: 'redirected', status: 302 }, 1],
  ['web-page', { code: 'unreadable-answer', status: 200, serviceWords: null }, 1],
  ['status-400', { code: 'bad-request', status: 400, serviceWords: 'a rule' }, 1],
  ['status-401', { code: 'unauthorised', status: 401, serviceWords: 'Not this key: •••' }, 1],
  ['status-403', { code: 'forbidden', status: 403 }, 1],
  ['status-404', { code: 'not-found-at-service', serviceWords: 'nothing here' }, 1],
  ['status-409', { code: 'conflict', serviceWords: 'taken' }, 1],
  ['status-422', { code: 'bad-request', issues: [{ path: ['query', 'limit'], message: 'too large' }] }, 1],
  ['status-429', { code: 'rate-limited', retryAfterSeconds: 3600 }, 1],
  ['status-500', { code: 'service-error', status: 500 }, 1],
  ['status-503', { code: 'service-error', status: 503, serviceWords: 'busy' }, 3],
  ['reset', { code: 'connection-lost', status: null }, 3],
  ['closed', { code: 'connection-lost', status: null }, 3],
  ['cut-off', { code: 'connection-lost', status: 200 }, 3],
  ['truncated', { code: 'unreadable-answer', status: 200 }, 1],
  ['empty', { code: 'unreadable-answer', status: 200 }, 1],
]

test('reports what went wrong, whatever a service does, until the next good answer or environment', async ({
  page,
  service,
}) => {
  test.info().annotations.push({ type: 'tried', description: String(quick.length) })
  const ask = (environmentId: string) => call(page, 'deployments.page', { environmentId, query: list })
  const requestCount = () => service.arrived.filter(({ url }) => /limit=20\b/.test(url)).length
  const environmentId = await addEnvironment(page, 'Hostile', service.url)

  for (const [behaviour, expected, times] of quick) {
    service.behaviour = behaviour
    service.arrived.length = 0
    const found = failureOf(await ask(environmentId))
    expect.soft(found, behaviour).toMatchObject(expected)
    // Chromium itself retries if a reused connection breaks.
    const max = expected.code === 'connection-lost' ? 2 * times : times
    expect.soft(requestCount(), `${behaviour}: asked`).toBeGreaterThanOrEqual(times)
    expect.soft(requestCount(), `${behaviour}: asked`).toBeLessThanOrEqual(max)
    expect.soft(JSON.stringify(found), behaviour).not.toContain(secretHeader)
    service.behaviour = 'good'
    expect.soft(await ask(environmentId), `after ${behaviour}`).toMatchObject({ ok: true })
  }
  service.behaviour = 'same-origin'
  expect(await ask(environmentId)).toMatchObject({ ok: true, value: { environmentId, received: 0 } })
  expect(service.strangers).toBe(0)

  for (const [name, baseUrl, code] of [
    ['Nobody there', 'http://127.0.0.1:9', 'offline'],
    ['No such host', 'http://slipway.invalid', 'offline'],
    ['No TLS', service.url.replace('http:', 'https:'), 'certificate'],
  ] as const) {
    const id = await addEnvironment(page, name, baseUrl)
    expect(failureOf(await ask(id)), name).toMatchObject({ code })
  }

  service.arrived.length = 0
  service.behaviour = 'slow-headers'
  await select(page, environmentId)
  const left = ask(environmentId)
  await expect.poll(requestCount).toBeGreaterThan(0)
  await select(page, 'built-in-cloud')
  expect(failureOf(await left)).toMatchObject({ code: 'environment-changed' })
})

test('sends a creation exactly once, even if a reused connection breaks', async ({
  page,
  service,
  userData,
}) => {
  const environmentId = await addEnvironment(page, 'Fragile', service.url)
  const ends = [
    ['closed', 'unclear'],
    ['reset', 'unclear'],
    ['cut-off', 'unclear'],
    ['truncated', 'unclear'],
    ['status-503', 'unclear'],
    // A gateway may have repeated the request, and the list that would show it also answers 409.
    ['status-409', 'unclear'],
    // A gateway may redirect after it passed the request on.
    ['other-origin', 'unclear'],
    ['status-422', 'refused'],
  ] as const
  for (const [behaviour, state] of ends) {
    // Leaves a connection open for reuse. Chromium would resend a request that breaks on one.
    service.behaviour = 'good'
    await call(page, 'deployments.page', { environmentId, query: list })
    service.behaviour = behaviour
    service.arrived.length = 0
    const named = { ...request, name: `agent-${behaviour}` }
    const found = failureOf(
      await call(page, 'deployments.create', { environmentId, request: named, confirmedName: null }),
    )
    expect(service.arrived.filter(({ method }) => method === 'POST').length, behaviour).toBe(1)
    const [entry] = await creations()
    expect(entry, behaviour).toMatchObject({ environmentId, state, failure: { code: found.code } })
    if (state === 'unclear') {
      expect(found.retryable, behaviour).toBe(false)
      expect(found.advice, behaviour).toContain('looks for the deployment in the list')
    }
  }
  expect(service.strangers).toBe(0)
  for (const name of ['state.db', 'state.db-wal'])
    expect(await readFile(join(userData, name), 'latin1')).not.toContain(secretHeader)

  async function creations(): Promise<JournalEntry[]> {
    const outcome = await call(page, 'journal.list', { limit: 10 })
    if (!outcome.ok) throw new Error(outcome.failure.message)
    return outcome.value.filter(({ kind }) => kind === 'creation')
  }
})
