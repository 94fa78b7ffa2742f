import { describe, expect, it } from 'vitest'
import { answer, type Keytar } from '../../../../electron/keychain/answer'

function memory(): Keytar & { entries: Map<string, string> } {
  const entries = new Map<string, string>()
  return {
    entries,
    getPassword: async (service, account) => entries.get(`${service}/${account}`) ?? null,
    setPassword: async (service, account, password) => void entries.set(`${service}/${account}`, password),
    deletePassword: async (service, account) => entries.delete(`${service}/${account}`),
    findCredentials: async () => [...entries].map(([account, password]) => ({ account, password })),
  }
}

describe('the keychain process', () => {
  it("answers each call with keytar's result", async () => {
    const keytar = memory()
    const ask = (request: object) => answer({ id: 7, service: 'S', ...request }, async () => keytar)
    expect(await ask({ call: 'get', account: 'a' })).toEqual({ id: 7, ok: true, value: null })
    expect(await ask({ call: 'set', account: 'a', value: 'v' })).toEqual({ id: 7, ok: true, value: null })
    expect(await ask({ call: 'get', account: 'a' })).toEqual({ id: 7, ok: true, value: 'v' })
    expect(await ask({ call: 'findAll' })).toEqual({
      id: 7,
      ok: true,
      value: [{ account: 'S/a', value: 'v' }],
    })
    expect(await ask({ call: 'delete', account: 'a' })).toEqual({ id: 7, ok: true, value: true })
    expect(await ask({ call: 'delete', account: 'a' })).toEqual({ id: 7, ok: true, value: false })
  })

  it.each([null, 'get', { call: 'get' }, { id: 1, call: 'eval', service: 'S' }, { id: 1.5 }])(
    "ignores %j, and doesn't even load keytar for it",
    async (message) => {
      const load = () => Promise.reject<Keytar>(new Error('loaded'))
      expect(await answer(message, load)).toBeNull()
    },
  )

  it("reports that keytar can't be loaded, and that the keychain refuses", async () => {
    const request = { id: 1, call: 'get', service: 'S', account: 'a' }
    const missing = () => Promise.reject<Keytar>(new Error('Failed to load keytar native addon'))
    expect(await answer(request, missing)).toEqual({
      id: 1,
      ok: false,
      problem: 'library',
      words: 'Failed to load keytar native addon',
    })
    const refusing = { ...memory(), getPassword: () => Promise.reject<null>(new Error('no')) }
    expect(await answer(request, async () => refusing)).toMatchObject({ problem: 'keychain', words: 'no' })
  })
})
