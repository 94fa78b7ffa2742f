import type { KeychainRequest } from '@contract/app/processes'
import { expect, it } from 'vitest'
import { callKeychain, type Keytar } from '../../../../electron/cache/keychain'

function memory(): Keytar {
  const entries = new Map<string, string>()
  return {
    getPassword: async (service, account) => entries.get(`${service}/${account}`) ?? null,
    setPassword: async (service, account, password) => void entries.set(`${service}/${account}`, password),
    deletePassword: async (service, account) => entries.delete(`${service}/${account}`),
    findCredentials: async () => [...entries].map(([account, password]) => ({ account, password })),
  }
}

const get: KeychainRequest = { call: 'get', service: 'S', account: 'a' }

it("answers each call with keytar's result", async () => {
  const keytar = memory()
  const value = async (request: KeychainRequest): Promise<unknown> => {
    const reply = await callKeychain(request, () => keytar)
    return reply.ok ? reply.value : reply
  }
  expect(await value(get)).toBeNull()
  expect(await value({ ...get, call: 'set', value: 'v' })).toBeNull()
  expect(await value(get)).toBe('v')
  expect(await value({ call: 'findAll', service: 'S' })).toEqual([{ account: 'S/a', value: 'v' }])
  expect(await value({ ...get, call: 'delete' })).toBe(true)
  expect(await value({ ...get, call: 'delete' })).toBe(false)
})

it("reports that keytar can't be loaded, and that the keychain refuses", async () => {
  const missing = (): Keytar => {
    throw new Error('Failed to load keytar native addon')
  }
  expect(await callKeychain(get, missing)).toEqual({
    ok: false,
    problem: 'library',
    words: 'Failed to load keytar native addon',
  })
  const refusing = { ...memory(), getPassword: () => Promise.reject<null>(new Error('no')) }
  expect(await callKeychain(get, () => refusing)).toMatchObject({ problem: 'keychain', words: 'no' })
})
