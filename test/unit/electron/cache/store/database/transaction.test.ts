import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createTransactions,
  type Transactions,
} from '../../../../../../electron/cache/store/database/transaction'

/** After this time, in milliseconds, what was gathered is committed. */
const late = 300

let db: Database.Database
let transactions: Transactions
let undone: number
/** Writes a row whose commit fails if it is negative. */
let write: (id: number) => void
let writeAlone: (id: number) => void

beforeEach(() => {
  vi.useFakeTimers()
  db = new Database(':memory:')
  db.exec(`
    pragma foreign_keys = on;
    create table sign (positive integer primary key);
    insert into sign values (1);
    create table row (id integer, positive integer references sign deferrable initially deferred)`)
  undone = 0
  transactions = createTransactions(db, () => (undone += 1))
  const insert = db.prepare('insert into row values (?, ?)')
  const body = (id: number): void => void insert.run(id, id < 0 ? 0 : 1)
  write = transactions.gathered(body)
  writeAlone = transactions.whole(body)
})
afterEach(() => {
  vi.useRealTimers()
  db.close()
})

const rows = (): unknown[] => db.prepare('select id from row order by id').raw().all().flat()

describe('gathered writes', () => {
  test('are committed together, the last ones a moment later', () => {
    transactions.gather(true)
    write(1)
    write(2)
    expect(db.inTransaction).toBe(true)
    vi.advanceTimersByTime(late)
    expect(db.inTransaction).toBe(false)
    expect(rows()).toEqual([1, 2])
  })

  test('are lost together if the late commit fails, which the next write says, and the end once more', () => {
    transactions.gather(true)
    write(1)
    write(-2)
    vi.advanceTimersByTime(late)
    expect(undone).toBe(1)
    // Any write may be the next, also one of something else.
    expect(() => writeAlone(3)).toThrow('constraint')
    write(4)
    expect(() => transactions.gather(false)).toThrow('constraint')
    expect(rows()).toEqual([4])
    transactions.gather(true)
    write(5)
    transactions.gather(false)
    expect(rows()).toEqual([4, 5])
  })
})
