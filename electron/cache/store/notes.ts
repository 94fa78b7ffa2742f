import type Database from 'libsql'

/** Small texts that are kept with the copy: the state of a synchronisation, how far the search index goes. */
export interface Notes {
  read: (key: string) => string | null
  /** Null removes it. */
  write: (key: string, value: string | null) => void
  /** Remembers when the service last answered with something that is cached. */
  newestAt: (moment: number) => void
}

export function createNotes(db: Database.Database): Notes {
  const select = db.prepare('select value from note where key = ?')
  const insert = db.prepare(
    `insert into note (key, value) values (?, ?) on conflict (key) do update set value = excluded.value`,
  )
  const remove = db.prepare('delete from note where key = ?')
  const newest = db.prepare(
    `insert into note (key, value) values ('newest-at', ?)
     on conflict (key) do update set value = excluded.value`,
  )
  return {
    read: (key) => (select.get(key) as { value: string } | undefined)?.value ?? null,
    write: (key, value) => void (value === null ? remove.run(key) : insert.run(key, value)),
    newestAt: (moment) => void newest.run(String(moment)),
  }
}
