import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { expect, it, describe, test } from 'vitest'
import type { Database } from '../../../../electron/service/database/database'
import { deploymentTable } from '../../../../electron/service/database/deployments'
import type { Tables } from '../../../../electron/service/database/tables'
import { revisionAt } from '../../../../electron/service/database/revisions'
import { never } from '../../../../electron/service/database/times'
import { DatabaseError } from 'pg'
import { meaningOf, reasonOf } from '../../../../electron/service/database/postgres'

describe('deployments', () => {
  it('one deployment is read with one statement', async () => {
    const statements: string[] = []
    const kysely = new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (database) => new SqliteIntrospector(database),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
      log: ({ query }) => void statements.push(query.sql),
    })
    const deployments = deploymentTable({ isPostgres: false, read: (work) => work(kysely) } as Database)
    expect(await deployments.get({ id: 'one', tenantId: 'a tenant' }, Date.now())).toBeNull()
    expect(statements).toHaveLength(1)
  })
})

describe('revisions', () => {
  /** What a revision is at a time, and since when. */
  function at(now: number, starts_at: number | null, ends_at: number | null, more: object = {}) {
    const row = {
      id: 'one',
      created_at: 7,
      starts_at,
      ends_at,
      interrupted_at: null,
      status_message: null,
      ...more,
    }
    const { status, updated_at, status_message } = revisionAt(row, now)
    return [status, Date.parse(updated_at), status_message]
  }

  it('a revision goes through its statuses, each for a quarter of its time', () => {
    const steps: [now: number, status: string, since: number][] = [
      [99, 'QUEUED', 7],
      [100, 'AWAITING_BUILD', 100],
      [199, 'AWAITING_BUILD', 100],
      [200, 'BUILDING', 200],
      [300, 'AWAITING_DEPLOY', 300],
      [400, 'DEPLOYING', 400],
      [499, 'DEPLOYING', 400],
      [500, 'DEPLOYED', 500],
      [9_000, 'DEPLOYED', 500],
    ]
    for (const [now, status, since] of steps) expect(at(now, 100, 500)).toEqual([status, since, null])
  })

  it('an interrupted one stays so, one without an end has always been deployed or failed, one of a sample never is', () => {
    expect(at(900, 100, 500, { interrupted_at: 250 })).toEqual(['INTERRUPTED', 250, null])
    expect(at(900, null, null)).toEqual(['DEPLOYED', 7, null])
    expect(at(900, null, null, { status_message: 'no' })).toEqual(['BUILD_FAILED', 7, 'no'])
    expect(at(900, never, never)).toEqual(['QUEUED', 7, null])
    expect(at(100, 100, 100)).toEqual(['DEPLOYED', 100, null])
  })
})

describe('PostgreSQL', () => {
  function fromServer(code: string): DatabaseError {
    return Object.assign(new DatabaseError('said by the server', 0, 'error'), { code, severity: 'ERROR' })
  }

  describe('meaningOf', () => {
    test.each([
      ['a full disk', '53100', { reason: 'full', isLost: false }],
      ['too many connections', '53300', { reason: 'unavailable', isLost: false }],
      ['a statement that took too long', '57014', { reason: 'unavailable', isLost: false }],
      ['a server that ends', '57P01', { reason: 'uncertain', isLost: true }],
      ['a server that starts', '57P03', { reason: 'uncertain', isLost: true }],
      ['a standby', '25006', { reason: 'unavailable', isLost: true }],
      ['a deadlock', '40P01', { reason: 'unavailable', isLost: false }],
      ['a damaged table', 'XX001', { reason: 'unavailable', isLost: false }],
    ])('knows %s', (_what, code, meaning) => {
      expect(meaningOf(fromServer(code))).toEqual(meaning)
    })

    test('knows that a server without space for its log ends, and may have carried out the request', () => {
      const error = Object.assign(fromServer('53100'), { severity: 'PANIC', file: 'xlog.c' })
      expect(meaningOf(error)).toEqual({ reason: 'uncertain', isLost: true })
    })

    test.each(['42601', '22P02', '23505'])('does not translate a bug of the program: %s', (code) => {
      expect(meaningOf(fromServer(code))).toBeNull()
      expect(meaningOf(new TypeError('not a function'))).toBeNull()
    })

    test.each([
      new Error('Connection terminated unexpectedly'),
      new Error('Query read timeout'),
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    ])('treats an error that no server reported as a lost connection: %s', (error) => {
      expect(meaningOf(error)).toMatchObject({ reason: 'uncertain', isLost: true })
    })
  })

  test('reasonOf shows why the first address of a name failed', () => {
    const refused = new Error('connect ECONNREFUSED ::1:5432')
    expect(reasonOf(new AggregateError([refused, new Error('other')]))).toBe('connect ECONNREFUSED ::1:5432')
    expect(reasonOf(refused)).toBe('connect ECONNREFUSED ::1:5432')
  })
})
