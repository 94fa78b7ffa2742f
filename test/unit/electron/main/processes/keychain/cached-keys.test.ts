import { fail, failure } from '@contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { createFileKeys } from '../../../../../../electron/main/processes/keychain/file-keys'
import {
  createCachedKeys,
  keysNotice,
  type CachedKeys,
  type KeysAmiss,
} from '../../../../../../electron/main/processes/keychain/cached-keys'
import type { Keychain } from '../../../../../../electron/main/processes/keychain/types'
import { keychainInMemory } from '../../../../../support/main/keychain-in-memory'

const entries = new Map<string, string>()
let locked = false
let readOnly = false
let hangs = false
let writes: string[] = []
let looksEmptyWhenLocked = true
let opened = 0

function keychain(): Keychain {
  opened += 1
  const { get, set, ...others } = keychainInMemory(entries, () => locked)
  return {
    ...others,
    looksEmptyWhenLocked,
    get: (account) => (hangs ? new Promise(() => undefined) : get(account)),
    set(account, value) {
      writes.push(account)
      if (readOnly) return Promise.resolve(fail(failure('keychain-refused', 'The keychain refused.')))
      return set(account, value)
    },
  }
}

let reports: KeysAmiss[] = []
const nothing = { replaced: [], lost: [] }
let back: string[] = []

const keptKeys = (more: { everyMs?: number; platform?: NodeJS.Platform } = {}): CachedKeys =>
  createCachedKeys({
    keys: createFileKeys(keychain),
    open: keychain,
    proofs: () => ['profile'],
    found: (amiss) => void reports.push(amiss),
    wroteBack: (account, failure) => void back.push(failure ? `${account}: ${failure}` : account),
    platform: 'linux',
    ...more,
  })

/** Keys of two files that were given out, and the content of the keychain after that. */
async function withKeys(more?: Parameters<typeof keptKeys>[0]) {
  const keys = keptKeys(more)
  for (const account of ['journal-key', 'drafts-key']) await keys.keyFor(account, { stored: false })
  const all = new Map(entries)
  writes = []
  return { keys, all }
}

beforeEach(() => {
  entries.clear()
  locked = false
  readOnly = false
  hangs = false
  looksEmptyWhenLocked = true
  writes = []
  reports = []
  back = []
  opened = 0
})

describe('keys that were deleted while they are in use', () => {
  it.each([
    ['one of them', ['drafts-key'], []],
    ['both, and not the marker', ['drafts-key', 'journal-key'], []],
    ['all, while an entry of an environment is there', ['drafts-key', 'journal-key', 'marker'], ['profile']],
  ])('are written back: %s', async (_what, deleted, left) => {
    const { keys, all } = await withKeys()
    for (const account of left) entries.set(account, '{}')
    for (const account of deleted) entries.delete(account)
    await keys.look()
    const lost = deleted.filter((account) => account !== 'marker')
    for (const account of lost) expect(entries.get(account)).toBe(all.get(account))
    expect(back.sort()).toEqual(lost.sort())
    expect(reports).toEqual([nothing])
  })

  it('are written back if nothing is left in a keychain that reports when it is locked', async () => {
    const { keys, all } = await withKeys()
    looksEmptyWhenLocked = false
    entries.clear()
    await keys.look()
    expect(entries.get('drafts-key')).toBe(all.get('drafts-key'))
  })

  it("aren't written if the keychain may be locked: the system might ask for a password", async () => {
    const { keys } = await withKeys()
    locked = true
    await keys.look()
    expect(writes).toEqual([])
  })

  it('are left unchanged if they have another value, which is reported until that changes', async () => {
    const { keys, all } = await withKeys()
    entries.set('drafts-key', 'cd'.repeat(32))
    await keys.look()
    expect(entries.get('drafts-key')).toBe('cd'.repeat(32))
    entries.set('drafts-key', all.get('drafts-key')!)
    await keys.look()
    expect(reports).toEqual([{ replaced: ['drafts-key'], lost: [] }, nothing])
    expect(writes).toEqual([])
  })
})

describe('a key that an open keychain refuses to store again', () => {
  it('is reported until it is written', async () => {
    const { keys, all } = await withKeys()
    entries.delete('drafts-key')
    readOnly = true
    await keys.look()
    expect(reports).toEqual([{ replaced: [], lost: ['drafts-key'] }])
    expect(back).toEqual(['drafts-key: keychain-refused'])
    expect(keysNotice(reports[0]!)).toMatch(/refused to store them again.*until Slipway closes/)
    readOnly = false
    await keys.look()
    expect(entries.get('drafts-key')).toBe(all.get('drafts-key'))
    expect(keysNotice(reports[1]!)).toBeNull()
  })

  it('stays reported while the keychain is locked and looks empty', async () => {
    const { keys } = await withKeys()
    entries.set('journal-key', 'cd'.repeat(32))
    entries.delete('drafts-key')
    readOnly = true
    await keys.look()
    locked = true
    await keys.look()
    expect(reports).toEqual([{ replaced: ['journal-key'], lost: ['drafts-key'] }])
  })

  it('is reported together with one that has another value', () => {
    const words = keysNotice({ replaced: ['journal-key'], lost: ['drafts-key'] })
    expect(words).toContain('The keychain now has other keys')
    expect(words).toContain('refused to store them again')
  })
})

describe('the check of keys', () => {
  it('runs with a write only after some time, and only if there are any', async () => {
    const none = keptKeys()
    await none.look()
    expect(opened).toBe(0)
    const { keys } = await withKeys()
    entries.delete('drafts-key')
    await keys.noteWrite()
    expect(writes).toEqual([])
    const later = await withKeys({ everyMs: 0 })
    entries.delete('drafts-key')
    await later.keys.noteWrite()
    expect(writes).toEqual(['drafts-key'])
  })

  it('runs once at a time, however long the keychain takes', async () => {
    const { keys } = await withKeys()
    hangs = true
    const before = opened
    for (let times = 0; times < 5; times += 1) void keys.look()
    await Promise.resolve()
    expect(opened - before).toBe(1)
  })

  it("doesn't run on macOS, where a locked keychain would ask for its password", async () => {
    const { keys } = await withKeys({ platform: 'darwin' })
    const before = opened
    await keys.look()
    expect(opened).toBe(before)
  })
})
