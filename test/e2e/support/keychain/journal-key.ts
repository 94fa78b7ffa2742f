import { projectFolder } from '../../../../electron/launcher/base/paths.mjs'
import { keychainServiceName } from '../../../../electron/main/processes/keychain/service-name'
import { variablesFor } from '../../../support/main/variables'
import type { Keyring } from './keyring'
import { execute } from '../processes'

/** Replaces the journal's key, as a keychain that was restored from a backup does. Returns the previous key. */
export async function replaceJournalKey(
  userData: string,
  keyring: Keyring,
  key = 'cd'.repeat(32),
): Promise<string> {
  const entry = [keychainServiceName(userData, ''), 'journal-key'].map((text) => JSON.stringify(text)).join()
  const program = `const keytar = require('keytar')
    keytar.getPassword(${entry})
    .then((before) => process.stdout.write(before))
    .then(() => keytar.setPassword(${entry}, '${key}'))
    .catch((error) => { console.error(error); process.exit(1) })`
  const { stdout } = await execute(process.execPath, ['-e', program], {
    cwd: projectFolder,
    env: variablesFor(keyring.environment),
  })
  return stdout
}
