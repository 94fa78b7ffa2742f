import {
  plainTable,
  type StateAside,
  type StateChange,
  type StateOp,
  type StateReply,
  type StateRequest,
  type StateRow,
  type StateTable,
  stateTables,
  type StoreMessage,
  type StateValues,
} from './protocol'
import Database from 'libsql'
import { Damaged, inTransaction } from './store/database'
import { isDamage, isDiskFull, putAside } from './store/file'
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** The number of the schema. Raise it with every change: a file with another number is set aside. */
const schemaNumber = 2

/** `proof` has a known text that was encrypted with the key, so that another key is noticed. */
const schema = `
${stateTables
  .map(
    (table) => `create table ${table} (
  seq integer primary key, id text not null unique, sealed integer not null, content blob not null
);`,
  )
  .join('\n')}
create table proof (seq integer primary key, content blob not null);
pragma user_version = ${schemaNumber};
`

const proofText = 'Slipway'

/** How long to wait for the lock of a process that is ending, in milliseconds. */
const lockTimeoutMs = 5_000

class WrongKey extends Damaged {
  override message = 'the file was encrypted with another key'
}

class Locked extends Error {
  override message = 'the key is missing'
}

interface OpenState {
  file: string
  db: Database.Database
  key: string | null
}

interface Row {
  id: ArrayBuffer
  sealed: number
  content: ArrayBuffer
}

/** Answers the main process's requests about `state.db`. */
export function serveState(): void {
  const answer = createStateHandler()
  process.parentPort.on('message', ({ data }: StoreMessage) => {
    if ('state' in data) process.parentPort.postMessage({ id: data.id, state: answer(data.state) })
  })
}

/**
 * Answers the requests about `state.db`. Its texts are encrypted one by one; SQLite writes each change to the disk
 * before it is answered. A file that is damaged, has another schema or was encrypted with another key is renamed, and
 * the request is answered from a new one.
 */
export function createStateHandler(): (request: StateRequest) => StateReply {
  let state: OpenState | null = null

  function perform(request: StateRequest): StateValues[StateOp] {
    if (request.op === 'open') {
      state?.db.close()
      state = { file: request.file, db: connect(request.file), key: null }
      return { isSealed: proofOf(state) !== null }
    }
    if (!state) throw new Error('the file is not open')
    switch (request.op) {
      case 'unlock':
        unlock(state, request.key)
        return null
      case 'read':
        return read(state, request.table)
      case 'write':
        write(state, request.table, request.changes)
        return null
    }
  }

  /** Renames the file and opens a new one, with the same key. */
  function startAfresh(file: string, error: unknown): StateAside {
    const key = state?.key ?? null
    state?.db.close()
    state = null
    const name = putAside(file)
    state = { file, db: connect(file), key: null }
    if (key !== null) unlock(state, key)
    return { reason: error instanceof WrongKey ? 'wrong-key' : 'damaged', name }
  }

  return (request) => {
    let setAside: StateAside | null = null
    try {
      try {
        return { ok: true, value: perform(request), setAside }
      } catch (error) {
        const file = request.op === 'open' ? request.file : state?.file
        if (file === undefined || !isDamage(error)) throw error
        setAside = startAfresh(file, error)
        return { ok: true, value: perform(request), setAside }
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return { ok: false, isFull: isDiskFull(error), message, setAside }
    }
  }
}

function connect(file: string): Database.Database {
  const db = new Database(file)
  try {
    db.exec(`pragma busy_timeout = ${lockTimeoutMs}`)
    db.exec('pragma temp_store = memory')
    db.pragma('journal_mode = wal')
    // Each commit is on the disk before it is answered.
    db.exec('pragma synchronous = full')
    const [{ user_version: found = 0 } = {}] = db.pragma('user_version') as { user_version?: number }[]
    const isNew = found === 0 && db.prepare('select 1 from sqlite_master limit 1').get() === undefined
    if (isNew) inTransaction(db, () => db.exec(schema))()
    else if (found !== schemaNumber) throw new Damaged(`schema ${found} instead of ${schemaNumber}`)
    const [{ quick_check: check = '' } = {}] = db.pragma('quick_check(1)') as { quick_check?: string }[]
    if (check !== 'ok') throw new Damaged(check)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function proofOf({ db }: OpenState): Buffer | null {
  const proof = db.prepare('select content from proof').get() as { content: ArrayBuffer } | undefined
  return proof ? Buffer.from(proof.content) : null
}

/** Takes the key, and encrypts what was written without it. */
function unlock(state: OpenState, key: string): void {
  const { db } = state
  const proof = proofOf(state)
  if (proof && unseal(proof, key, 'proof') !== proofText) throw new WrongKey()
  inTransaction(db, () => {
    // With two values: libsql takes a single object for named ones.
    if (!proof) db.prepare('insert into proof values (?, ?)').run(1, seal(proofText, key, 'proof'))
    const plain = rowsOf(db, plainTable).filter(({ sealed }) => sealed === 0)
    const changes = plain.map(({ id, content }) => ({ id: textOf(id), text: textOf(content) }))
    writeRows({ ...state, key }, plainTable, changes)
  })()
  state.key = key
}

const textOf = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString('utf8')

/** As bytes: libsql ends the process if a text in a damaged file isn't UTF-8. */
const rowsOf = (db: Database.Database, table: StateTable): Row[] =>
  db.prepare(`select cast(id as blob) as id, sealed, content from ${table} order by seq`).all() as Row[]

function read({ db, key }: OpenState, table: StateTable): StateValues['read'] {
  const rows: StateRow[] = []
  let isLocked = false
  for (const { id: idBytes, sealed, content } of rowsOf(db, table)) {
    const id = textOf(idBytes)
    if (sealed === 0) rows.push([id, textOf(content)])
    else if (key === null) isLocked = true
    else {
      const text = unseal(Buffer.from(content), key, `${table} ${id}`)
      if (text === null) throw new Damaged(`a row of ${table} was changed`)
      rows.push([id, text])
    }
  }
  return { rows, isLocked }
}

function write(state: OpenState, table: StateTable, changes: readonly StateChange[]): void {
  if (state.key === null && table !== plainTable) throw new Locked()
  inTransaction(state.db, () => writeRows(state, table, changes))()
}

function writeRows({ db, key }: OpenState, table: StateTable, changes: readonly StateChange[]): void {
  const remove = db.prepare(`delete from ${table} where id = ?`)
  const put = db.prepare(
    `insert into ${table} (id, sealed, content) values (?, ?, ?)
     on conflict (id) do update set sealed = excluded.sealed, content = excluded.content`,
  )
  for (const { id, text } of changes) {
    if (text === null) remove.run(id)
    else if (key === null) put.run(id, 0, Buffer.from(text))
    else put.run(id, 1, seal(text, key, `${table} ${id}`))
  }
}

/** The nonce of AES-GCM (NIST SP 800-38D, 8.2.2: 96 random bits) and its tag, in bytes. */
const nonceLength = 12
const tagLength = 16

/**
 * Encrypts a text with AES-256-GCM: a random nonce, the tag, then the encrypted text. `purpose` is authenticated, so
 * that one text can't take the place of another.
 *
 * @param key 64 hexadecimal digits
 */
function seal(text: string, key: string, purpose: string): Buffer {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'hex'), nonce)
  cipher.setAAD(Buffer.from(purpose))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Decrypts what `seal` made with the same key and purpose; null if anything differs. */
function unseal(sealed: Buffer, key: string, purpose: string): string | null {
  const bodyStart = nonceLength + tagLength
  if (sealed.length < bodyStart) return null
  const nonce = sealed.subarray(0, nonceLength)
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'hex'), nonce, {
    authTagLength: tagLength,
  })
  decipher.setAAD(Buffer.from(purpose))
  decipher.setAuthTag(sealed.subarray(nonceLength, bodyStart))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(bodyStart)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
