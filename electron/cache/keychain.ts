import { createRequire } from 'node:module'
import type { KeychainReply, KeychainRequest, KeychainValues, StoreMessage } from './protocol'

/** The calls of keytar that are used. */
export interface Keytar {
  getPassword: (service: string, account: string) => Promise<string | null>
  setPassword: (service: string, account: string, password: string) => Promise<void>
  deletePassword: (service: string, account: string) => Promise<boolean>
}

/** Makes the calls to the keychain that the main process asks for. */
export function serveKeychain(): void {
  process.parentPort.on('message', ({ data }: StoreMessage) => {
    if (!('keychain' in data)) return
    void callKeychain(data.keychain).then((keychain) =>
      process.parentPort.postMessage({ id: data.id, keychain }),
    )
  })
}

/**
 * Makes a call to the keychain. keytar is loaded with the first one, and works in a thread of its own. If the machine
 * lacks its library (libsecret on Linux), the reply says so.
 */
export async function callKeychain(
  request: KeychainRequest,
  load: () => Keytar = loadKeytar,
): Promise<KeychainReply> {
  let keytar: Keytar
  try {
    keytar = load()
  } catch (error) {
    return { ok: false, problem: 'library', words: messageOf(error) }
  }
  try {
    return { ok: true, value: await call(keytar, request) }
  } catch (error) {
    return { ok: false, problem: 'keychain', words: messageOf(error) }
  }
}

async function call(
  keytar: Keytar,
  request: KeychainRequest,
): Promise<KeychainValues[KeychainRequest['call']]> {
  switch (request.call) {
    case 'get':
      return await keytar.getPassword(request.service, request.account)
    case 'set':
      await keytar.setPassword(request.service, request.account, request.value)
      return null
    case 'delete':
      return await keytar.deletePassword(request.service, request.account)
  }
}

/** By require: Electron 25 can't import from app.asar, where a package has keytar. */
const loadKeytar = (): Keytar => createRequire(__filename)('keytar') as Keytar

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
