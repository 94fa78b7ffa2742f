import { describe, expect, it } from 'vitest'
import { parseExact } from '@contract/core/exact-json'
import {
  readChoices,
  readLog,
  readRevisions,
  readRoutes,
} from '../../../../../electron/main/processes/answers/life'
import { offersOf } from '../../../../../electron/main/features/life/offers'

describe('what a service offers', () => {
  it('is what its document has with a good answer, below any prefix and whatever its parameters are called', () => {
    const good = { responses: { 200: {} } }
    const routes = readRoutes({
      paths: {
        '/v2/deployments': { get: good, post: { responses: { 201: {} } }, delete: good },
        '/v2/deployments/{id}/': { get: good, patch: good, delete: { responses: { 204: {} } } },
        '/api-host/v2/deployments/{deployment_id}/revisions': { get: good },
        '/v2/deployments/{d}/revisions/{r}/logs': { get: good },
        '/v2/deployments/{d}/revisions/{r}/interruption': { post: {} },
        '/v2/deployments/{d}/revisions/{r}/redeploy': { post: { responses: { 501: {} } } },
        '/v2/listeners': { get: { responses: { 501: {} } } },
      },
    })
    expect(offersOf(routes!)).toEqual({
      operations: ['revisions', 'change', 'interrupt', 'delete', 'delete-many', 'logs'],
      interruptCall: 'interruption',
      logCall: 'revision',
    })
    for (const other of [null, 'text', [], { paths: null }, { openapi: '3.1.0' }]) {
      expect(readRoutes(other)).toBeNull()
    }
  })

  it('is nothing for a service with the three calls alone', () => {
    const routes = [
      'GET /v2/deployments',
      'POST /v2/deployments',
      'GET /v1/integrations/forge/repohost/{}/repos',
    ]
    expect(offersOf(routes)).toEqual({ operations: [], logCall: null, interruptCall: null })
  })
})

it('integrations and listeners are read by what they have in common, without unreadable ones', () => {
  const integration = { id: 'i1', installation_id: 7, name: 'acme' }
  expect(readChoices([integration, { id: 7 }, null])).toEqual({
    ok: true,
    value: [{ id: 'i1', name: 'acme', namespaces: [] }],
  })
  const compute = { compute_type: 'k8s', compute_id: 'c1', compute_config: { k8s_namespaces: ['a', 'b'] } }
  expect(readChoices({ resources: [{ id: 'l1', ...compute }], offset: 1 })).toEqual({
    ok: true,
    value: [{ id: 'l1', name: 'c1', namespaces: ['a', 'b'] }],
  })
  expect(readChoices({ resources: null }).ok).toBe(false)
})

describe('revisions', () => {
  it('are read with unknown statuses and without unreadable ones, and end as lists do', () => {
    const revision = {
      id: 'r1',
      status: 'PAUSED',
      created_at: '2026-11-28T10:00:00',
      source_revision_config: null,
    }
    const read = readRevisions({ resources: [revision, { status: 'no id' }, null], offset: 3 }, 20, 0)
    if (!read.ok) throw new Error(read.reason)
    expect(read.value.nextOffset).toBeNull()
    expect(read.value.revisions).toEqual([
      expect.objectContaining({ id: 'r1', status: 'PAUSED', created_at: '2026-11-28T10:00:00.000Z' }),
    ])
    expect(readRevisions([revision], 20, 0)).toMatchObject({ ok: true })
    expect(readRevisions({ resources: null }, 20, 0)).toMatchObject({ ok: true, value: { revisions: [] } })
    expect(readRevisions('no', 20, 0).ok).toBe(false)
    const deep = `${'['.repeat(1_100)}${']'.repeat(1_100)}`
    expect(readRevisions({ resources: [{ id: 'r', status_message: deep }] }, 20, 0).ok).toBe(false)
  })
})

describe('a log', () => {
  const entry = { id: '7', timestamp: '2026-11-28T10:00:00Z', level: 'info', message: 'started' }
  const line = { key: '7', at: '2026-11-28T10:00:00.000Z', level: 'INFO', message: 'started' }

  it.each([
    ['logs and an offset', { logs: [entry], next_offset: '50' }, [line], '50'],
    ['items and a cursor', { items: [entry], next_cursor: 'abc' }, [line], 'abc'],
    ['a list alone', [entry], [line], null],
    [
      'nanoseconds',
      parseExact('[{"id":"7","timestamp":1795860000000000123,"level":"info","message":"started"}]'),
      [line],
      null,
    ],
    ['milliseconds', { logs: [{ ...entry, timestamp: 1795860000000 }], next_offset: null }, [line], null],
    ['no lines, and where to go on', { logs: [], next_offset: '9' }, [], null],
    ['null for no lines', { logs: null }, [], null],
  ])('is read with %s', (_what, answer, lines, next) => {
    expect(readLog(answer)).toEqual({ ok: true, value: { lines, next } })
  })

  it('turns newest first into oldest first, and keeps what has no form', () => {
    const read = readLog({ logs: ['second', { odd: 1 }, 'first'] })
    expect(read.ok && read.value.lines.map(({ message }) => message)).toEqual([
      'first',
      '{"odd":1}',
      'second',
    ])
    expect(readLog({ status: 'ok' }).ok).toBe(false)
  })

  it("shows a line without a terminal's colours, links and progress, and cuts a huge one", () => {
    const message =
      '\u001b[1;31mfailed\u001b[0m \u001b]8;;https://x\u0007link\u001b]8;;\u0007\n10 %\r20 %\r30 %\n'
    const read = readLog({ logs: [message, 'x'.repeat(10_000_000)] })
    if (!read.ok) throw new Error(read.reason)
    expect(read.value.lines[1]!.message).toBe('failed link\n30 %')
    expect(read.value.lines[0]!.message.length).toBeLessThan(10_010)
    const million = readLog({ logs: Array.from({ length: 1_000_000 }, (_, index) => `line ${index}`) })
    expect(million.ok && million.value.lines.at(-1)?.message).toBe('line 0')
    expect(million.ok && million.value.lines).toHaveLength(5_001)
    expect(million.ok && million.value.lines[0]?.message).toBe('(995,000 older lines are left out here.)')
  })
})
