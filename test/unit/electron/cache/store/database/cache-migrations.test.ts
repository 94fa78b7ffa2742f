import { createHash } from 'node:crypto'
import Database from 'libsql'
import { expect, it } from 'vitest'
import {
  ensureSortIndexes,
  migrate,
  steps,
} from '../../../../../../electron/cache/store/database/cache-migrations'

/** Checksums of the steps. A new step adds its own. Those here never change: files have been through them. */
const released = [
  '033506681d52da421a6f881daebc99c9e811b40f5bea3a060fcc1fe5e2f6ae76',
  'd3555ef1cfcd410cbc430a1e1165d62b51ba9452726c96ec3fd946b3919bd043',
  '5e9501ec56c55a1c21091343fc3c8e1bbccf6a9aa10832f2fa82f87e8a85cfea',
  '0b50ff22de7d1a78e63deaff5d32893d58a569d6a164291e93a35f1e99a3d0a9',
]

it('never changes a step', () => {
  expect(steps.map((step) => createHash('sha256').update(step).digest('hex'))).toEqual(released)
})

it('creates each index for sorting in a step, so that every file has it', () => {
  const db = new Database(':memory:')
  const indexes = (): unknown[] =>
    db.prepare("select name, sql from sqlite_master where type = 'index' order by name").all()
  migrate(db)
  const migrated = indexes()
  ensureSortIndexes(db)
  expect(indexes()).toEqual(migrated)
  db.close()
})
