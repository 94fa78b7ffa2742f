import Database from 'libsql'
import { expect, it } from 'vitest'
import { Damaged, prepareRows } from '../../../../../../electron/cache/store/database/rows'

function rowsWith(values: string) {
  const db = new Database(':memory:')
  db.exec(`create table one (name text); insert into one values ${values}`)
  return prepareRows(db, 'name', 'from one')
}

it('reads rows as one text', () => {
  expect(rowsWith(`('a "name"'), (null)`)()).toEqual([['a "name"'], [null]])
})

it('says that the file is damaged if a changed byte turned a text into a blob', () => {
  expect(() => rowsWith(`(x'ff')`)()).toThrow(Damaged)
})
