import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeOldPartitions } from '../../../../../electron/main/http/old-partitions'

let userData: string

beforeEach(() => {
  userData = mkdtempSync(join(tmpdir(), 'slipway-partitions-'))
})
afterEach(() => rmSync(userData, { recursive: true, force: true }))

test('removes the sessions that environments had on the disk, and nothing else', async () => {
  for (const name of ['environment-1f0e', 'environment-built-in-cloud', 'of-someone-else']) {
    mkdirSync(join(userData, 'Partitions', name, 'Network'), { recursive: true })
    writeFileSync(join(userData, 'Partitions', name, 'Network', 'Cookies'), 'a cookie')
  }
  writeFileSync(join(userData, 'environments.json'), '{}')
  await removeOldPartitions(userData)
  expect(readdirSync(join(userData, 'Partitions'))).toEqual(['of-someone-else'])
  expect(readdirSync(userData).sort()).toEqual(['Partitions', 'environments.json'])
})

test('removes what the page could keep', async () => {
  for (const name of ['Local Storage', 'IndexedDB', 'File System', 'cache']) {
    mkdirSync(join(userData, name))
    writeFileSync(join(userData, name, '000003.log'), 'something')
  }
  await removeOldPartitions(userData)
  expect(readdirSync(userData)).toEqual(['cache'])
})

test('finds nothing to do where there never were any', async () => {
  await expect(removeOldPartitions(userData)).resolves.toBeUndefined()
  expect(readdirSync(userData)).toEqual([])
})
