import { beforeEach, describe, expect, it } from 'vitest'
import { createFileKeys } from '../../../../../../electron/main/processes/keychain/file-keys'
import type { Keychain } from '../../../../../../electron/main/processes/keychain/types'
import { keychainInMemory } from '../../../../../support/main/environments'

const entries = new Map<string, string>()
/** The calls in order, and an action just before one is answered. */
let calls: string[] = []
let before: (call: string) => void = () => undefined
let locked = false

function keychain(): Keychain {
  const said = (call: string): void => {
    before(call)
    calls.push(call)
  }
  const { get, set, ...others } = keychainInMemory(entries, () => locked)
  return {
    ...others,
    get(account) {
      said(`get ${account}`)
      return get(account)
    },
    set(account, value) {
      said(`set ${account}`)
      return set(account, value)
    },
  }
}

const keys = createFileKeys(keychain())

beforeEach(() => {
  entries.clear()
  calls = []
  before = () => undefined
  locked = false
})

describe('the key of a file', () => {
  it('is created once, with the marker', async () => {
    const first = await keys.keyFor('k', { stored: false })
    expect(first.ok && first.value).toMatch(/^[0-9a-f]{64}$/)
    expect(await keys.keyFor('k', { stored: true })).toEqual(first)
    expect([...entries.keys()].sort()).toEqual(['k', 'marker'])
  })

  it("isn't created while the keychain is locked", async () => {
    await keys.keyFor('k', { stored: false })
    const entriesBefore = new Map(entries)
    locked = true
    for (const stored of [true, false]) {
      expect(await keys.keyFor('k', { stored })).toMatchObject({
        ok: false,
        failure: { code: 'keychain-locked' },
      })
    }
    expect(entries).toEqual(entriesBefore)
  })

  it.each([true, false])("isn't replaced when the keychain is unlocked between two calls", async (stored) => {
    const first = await keys.keyFor('k', { stored: false })
    const entriesBefore = new Map(entries)
    locked = true
    before = (call) => {
      if (call.endsWith('marker')) locked = false
    }
    expect(await keys.keyFor('k', { stored })).toEqual(first)
    expect(entries).toEqual(entriesBefore)
  })

  it("isn't requested with a password unless the operator wants it", async () => {
    await keys.keyFor('k', { stored: true })
    expect(calls.some((call) => call.startsWith('set'))).toBe(false)
    await keys.keyFor('k', { stored: true, byOperator: true })
    expect(calls).toContain('set marker')
  })

  it('is created again if it is certainly gone', async () => {
    const first = await keys.keyFor('k', { stored: false })
    entries.delete('k')
    const second = await keys.keyFor('k', { stored: true })
    expect(second.ok).toBe(true)
    expect(second).not.toEqual(first)
  })

  it("is left unchanged if it isn't a key", async () => {
    entries.set('k', 'no key')
    expect(await keys.keyFor('k', { stored: true })).toMatchObject({ failure: { code: 'keychain-refused' } })
    expect(entries.get('k')).toBe('no key')
  })
})
