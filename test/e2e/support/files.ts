import type { StateRequest, StateRow, StateTable, StateValues } from '../../../electron/cache/protocol'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { chmod, readFile, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStateHandler } from '../../../electron/cache/state'
import { projectFolder } from '../../../electron/launcher/base.mjs'
import { keychainServiceName } from '../../../electron/main/processes/keychain'
import { variablesFor } from '../../support/main/variables'
import type { Keyring } from './keychain'
import { execute } from './processes'

/** The files under a folder that contain a text, in UTF-8 or UTF-16. */
export async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) found.push(...(await filesWith(path, text)))
    if (!entry.isFile()) continue
    const content = await readFile(path).catch(() => Buffer.alloc(0))
    if (content.includes(text) || content.includes(Buffer.from(text, 'utf16le'))) found.push(path)
  }
  return found
}

/** Makes a folder read-only for everybody, or writable again. Returns false if root can't be stopped here. */
export async function setReadOnly(folder: string, readOnly: boolean): Promise<boolean> {
  // Permissions don't stop root.
  const isRoot = process.getuid?.() === 0
  const set = isRoot
    ? execute('chattr', [readOnly ? '+i' : '-i', folder])
    : chmod(folder, readOnly ? 0o500 : 0o700)
  return await set.then(
    () => true,
    () => false,
  )
}

/** `state.db` of a data folder, opened beside the application. Without a key, only the journal is readable, if plain. */
function openState(userData: string, key: string | null): (request: StateRequest) => unknown {
  const answer = createStateHandler()
  const ask = (request: StateRequest): unknown => {
    const reply = answer(request)
    if (!reply.ok || reply.setAside) throw new Error(reply.ok ? reply.setAside?.name : reply.message)
    return reply.value
  }
  ask({ op: 'open', file: join(userData, 'state.db') })
  if (key !== null) ask({ op: 'unlock', key })
  return ask
}

/** The texts of a table. */
export function readState(userData: string, table: StateTable, key: string | null): StateRow[] {
  return (openState(userData, key)({ op: 'read', table }) as StateValues['read']).rows
}

/** An environment's cache, and the keychain that has its key. */
export interface CachePlace {
  userData: string
  environmentId: string
  keyring: Keyring
}

const cacheFile = ({ userData, environmentId }: CachePlace): string =>
  join(userData, 'cache', `${environmentId}.db`)

/**
 * Opens the encrypted file with its key in a separate process and checks all of it. It opens a copy of the file and
 * its log, so that the application finds its own unchanged. Nothing else may have the file open.
 */
export async function inspectCache(place: CachePlace): Promise<{ integrity: string; deployments: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-cache-'))
  try {
    const file = join(folder, 'cache.db')
    for (const suffix of ['', '-wal']) {
      if (existsSync(cacheFile(place) + suffix)) copyFileSync(cacheFile(place) + suffix, file + suffix)
    }
    const output = await withKey(
      place,
      `const Database = require('libsql')
       const db = new Database(${JSON.stringify(file)})
       db.exec("pragma hexkey = '" + key + "'")
       const integrity = db.pragma('integrity_check').map((row) => row.integrity_check).join()
       const deployments = db.prepare('select count(*) as count from deployment').get().count
       process.stdout.write(JSON.stringify({ integrity, deployments }))`,
    )
    return JSON.parse(output) as { integrity: string; deployments: number }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether the keychain has a key for the environment's cache. */
export async function hasKey(place: CachePlace): Promise<boolean> {
  return (await withKey(place, 'process.stdout.write(String(key !== null))')) === 'true'
}

/** Runs a script in Node that finds the cache's key as `key`. Returns its output. */
async function withKey({ userData, environmentId, keyring }: CachePlace, script: string): Promise<string> {
  const service = keychainServiceName(userData, '')
  const program = `(async () => {
    const keytar = require('keytar')
    const [service, account] = ${JSON.stringify([service, `cache-key-${environmentId}`])}
    const key = await keytar.getPassword(service, account)
    ${script}
  })().catch((error) => { console.error(error); process.exit(1) })`
  const { stdout } = await execute(process.execPath, ['-e', program], {
    cwd: projectFolder,
    env: variablesFor(keyring.environment),
  })
  return stdout
}
