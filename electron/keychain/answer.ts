import {
  type KeychainEntry,
  type KeychainReply,
  type KeychainRequest,
  keychainRequestSchema,
} from '@contract/app/keychain'

/** The calls of keytar that are used. */
export interface Keytar {
  getPassword: (service: string, account: string) => Promise<string | null>
  setPassword: (service: string, account: string, password: string) => Promise<void>
  deletePassword: (service: string, account: string) => Promise<boolean>
  findCredentials: (service: string) => Promise<{ account: string; password: string }[]>
}

/**
 * Answers a message of the main process. keytar is loaded with the first call. If the machine lacks its library
 * (libsecret on Linux), the answer says so.
 *
 * @returns the reply; null if the message isn't a request
 */
export async function answer(message: unknown, load: () => Promise<Keytar>): Promise<KeychainReply | null> {
  const request = keychainRequestSchema.safeParse(message)
  if (!request.success) return null
  const { id } = request.data
  let keytar: Keytar
  try {
    keytar = await load()
  } catch (error) {
    return { id, ok: false, problem: 'library', words: messageOf(error) }
  }
  try {
    return { id, ok: true, value: await call(keytar, request.data) }
  } catch (error) {
    return { id, ok: false, problem: 'keychain', words: messageOf(error) }
  }
}

async function call(
  keytar: Keytar,
  request: KeychainRequest,
): Promise<string | boolean | KeychainEntry[] | null> {
  switch (request.call) {
    case 'get':
      return await keytar.getPassword(request.service, request.account)
    case 'set':
      await keytar.setPassword(request.service, request.account, request.value)
      return null
    case 'delete':
      return await keytar.deletePassword(request.service, request.account)
    case 'findAll': {
      const found = await keytar.findCredentials(request.service)
      return found.map(({ account, password }) => ({ account, value: password }))
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
