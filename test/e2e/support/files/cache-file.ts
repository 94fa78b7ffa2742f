import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../../../../electron/launcher/base.mjs'
import { keychainServiceName } from '../../../../electron/main/processes/keychain/types'
import { variablesFor } from '../../../support/main/variables'
import type { Keyring } from '../keychain/keyring'
import { execute } from '../processes'

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

/** Replaces the cache's key. */
export async function replaceKey(place: CachePlace): Promise<void> {
  await withKey(place, `await keytar.setPassword(service, account, 'cd'.repeat(32))`)
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
