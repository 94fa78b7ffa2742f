import type { Store, StoredDeployment } from './types'
import { checksum, type Content, readDeploymentBody, summaryColumns } from './content'
import { isoMoment, prepareRows } from './database/rows'
import { contentHash, toKey } from './database/text'
import type { Encrypted } from './file'
import type { Writer } from './write'

/** A row with everything that can be checked. */
type CheckedRow = [
  seq: number,
  key: string,
  hash: string,
  goneAt: number | null,
  tag: string,
  shown: string,
  json: string,
  columns: (string | null)[],
]

const checked = `c.seq, c.id, c.hash, d.gone_at, t.tag, t.shown, t.json, json_array(${summaryColumns.join(', ')})`

/** Deployments that are compared with their tags and checksums. */
export interface CheckedRows {
  deployment: Store['deployment']
  checkRows: Store['checkRows']
  /** Reads rows again as long as damaged ones are found and removed. Each round has fewer rows. */
  withoutDamaged: <Found extends { damaged: number[] }>(find: () => Found) => Found
  /** Removes damaged rows. */
  dropDamaged: (rows: number[]) => void
  /** How many damaged rows were removed since the last call, except by `checkRows`. */
  takeDamaged: () => number
}

/** `onDrop` is called after rows were removed. */
export function createCheckedRows({ db, tags }: Encrypted, writer: Writer, onDrop: () => void): CheckedRows {
  let damaged = 0

  const selectDeployment = prepareRows(
    db,
    'c.seq, c.hash, c.received_at, d.gone_at, t.tag, t.shown, t.json',
    `from copy as c left join deployment as d on d.seq = c.seq left join detail as t on t.seq = c.seq
     where c.id = ?`,
  )
  const selectRows = prepareRows(
    db,
    checked,
    `from copy as c left join deployment as d on d.seq = c.seq left join detail as t on t.seq = c.seq
     where c.seq > ? order by c.seq limit ?`,
  )

  function drop(rows: number[]): void {
    writer.drop(rows)
    onDrop()
  }

  function dropDamaged(rows: number[]): void {
    if (rows.length === 0) return
    drop(rows)
    damaged += rows.length
  }

  /** The content of a row; null if the row was changed by another program. */
  function contentOf(row: CheckedRow): Content | null {
    const [seq, key, hash, goneAt, tag, shown, json, columns] = row
    if (!tags.same(tag, tags.of('row', seq, key, hash, goneAt, shown))) return null
    if (checksum(json) !== contentHash(hash)) return null
    const content = readDeploymentBody(Buffer.from(json))
    const isSame = content?.key === key && JSON.stringify(content.summary) === JSON.stringify(columns)
    return isSame ? content : null
  }

  return {
    deployment(id): StoredDeployment | null {
      const key = toKey(id)
      const [row] =
        selectDeployment<[number, string, number, number | null, string, string, string | null]>(key)
      if (!row) return null
      const [seq, hash, receivedAt, goneAt, tag, shown, json] = row
      const fetchedAt = isoMoment(receivedAt)
      const sound =
        json !== null &&
        fetchedAt !== null &&
        tags.same(tag, tags.of('row', seq, key, hash, goneAt, shown)) &&
        checksum(json) === contentHash(hash)
      if (sound) return { json, fetchedAt, goneAt: isoMoment(goneAt) }
      dropDamaged([seq])
      return null
    },

    checkRows(after, limit) {
      const rows = selectRows<CheckedRow>(after, limit)
      const unsound = rows.filter((row) => contentOf(row) === null).map(([seq]) => seq)
      if (unsound.length > 0) drop(unsound)
      const last = rows.at(-1)
      return { damaged: unsound.length, after: last && rows.length === limit ? last[0] : null }
    },

    withoutDamaged(find) {
      let found = find()
      while (found.damaged.length > 0) {
        dropDamaged(found.damaged)
        found = find()
      }
      return found
    },

    dropDamaged,

    takeDamaged() {
      const taken = damaged
      damaged = 0
      return taken
    },
  }
}
