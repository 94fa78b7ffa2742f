import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { largestCache } from '@contract/cache'
import Database from 'libsql'
import { beforeEach, expect, test } from 'vitest'
import { writeSalt } from '../../../../../electron/cache/store/encryption/header'
import { deriveKeys } from '../../../../../electron/cache/store/encryption/keys'
import { isAtLimit, openFile, putAside, sizeOf } from '../../../../../electron/cache/store/file'
import { temporaryFolder } from '../../../../support/temporary-folder'

const key = 'ab'.repeat(32)
let folder: string
let file: string

beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'cache.db')
})

test('a file with another page size keeps it, and its limits in bytes still apply', () => {
  const { pages } = deriveKeys(key, writeSalt(file))
  const first = new Database(file)
  first.exec(`pragma hexkey = '${pages}'`)
  first.exec('pragma page_size = 4096')
  first.exec("create table kept as select 'yes' as value")
  first.close()

  const { db, setAside } = openFile(file, key)
  expect(setAside).toBeNull()
  expect(db.pragma('page_size')).toEqual([{ page_size: 4096 }])
  expect(db.prepare('select value from kept').get()).toMatchObject({ value: 'yes' })
  db.pragma('wal_checkpoint(truncate)')
  expect(sizeOf(db)).toBe(statSync(file).size)
  const limit = (largestCache.gigabytes * 1024 ** 3) / 4096
  expect(db.pragma('max_page_count')).toEqual([{ max_page_count: limit }])
  expect(isAtLimit(db)).toBe(false)
  db.pragma('max_page_count = 1')
  expect(isAtLimit(db)).toBe(true)
  db.close()
})

test('a file that is set aside replaces no other one', () => {
  const names = ['first', 'second'].map((content) => {
    writeFileSync(file, content)
    return putAside(file)
  })
  expect(names.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['first', 'second'])
})
