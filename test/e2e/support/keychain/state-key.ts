import { projectFolder } from '../../../../electron/launcher/base.mjs'
import { keychainServiceName } from '../../../../electron/main/processes/keychain/types'
import { variablesFor } from '../../../support/main/variables'
import type { Keyring } from './keyring'
import { execute } from '../processes'

/** The key of `state.db`, as the keychain has it. */
export const stateKey = (userData: string, keyring: Keyring): Promise<string> =>
  withKeytar(
    userData,
    keyring,
    'keytar.getPassword(entry.service, entry.account).then((key) => process.stdout.write(key))',
  )

/** Replaces the key of `state.db`, as a keychain that was restored from a backup does. Returns the previous key. */
export async function replaceStateKey(
  userData: string,
  keyring: Keyring,
  key = 'cd'.repeat(32),
): Promise<string> {
  const before = await stateKey(userData, keyring)
  await withKeytar(userData, keyring, `keytar.setPassword(entry.service, entry.account, '${key}')`)
  return before
}

async function withKeytar(userData: string, keyring: Keyring, call: string): Promise<string> {
  const entry = { service: keychainServiceName(userData, ''), account: 'state-key' }
  const program = `const keytar = require('keytar')
    const entry = ${JSON.stringify(entry)}
    ${call}.catch((error) => { console.error(error); process.exit(1) })`
  const { stdout } = await execute(process.execPath, ['-e', program], {
    cwd: projectFolder,
    env: variablesFor(keyring.environment),
  })
  return stdout
}
