import { expect, it } from 'vitest'
import { createNotes } from '../../../../../../electron/cache/store/database/notes'
import { openMemory } from '../../../../../../electron/cache/store/file'

it('has what is committed after a transaction was rolled back, and what it writes during one', () => {
  const { db, tags } = openMemory()
  const notes = createNotes(db, tags)
  notes.write('one', '1')
  expect([notes.read('one'), notes.read('two')]).toEqual(['1', null])
  db.exec('begin')
  notes.write('one', '2')
  notes.write('two', '2')
  expect([notes.read('one'), notes.read('two')]).toEqual(['2', '2'])
  db.exec('rollback')
  expect([notes.read('one'), notes.read('two')]).toEqual(['1', null])
  notes.write('one', null)
  expect(notes.read('one')).toBeNull()
  db.close()
})
