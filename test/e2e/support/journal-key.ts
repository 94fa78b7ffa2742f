import { projectFolder } from '../../../electron/launcher/places.mjs'
import { keychainServiceName } from '../../../electron/main/keychain/service-name'
import type { Keyring } from './keyring'
import { execute } from './processes'

/** Puts another key in the place of the journal's, as a keychain that was restored from a backup has it. */
export async function replaceJournalKey(userData: string, keyring: Keyring): Promise<void> {
  const program = `require('keytar')
    .setPassword(${JSON.stringify(keychainServiceName(userData, ''))}, 'journal-key', 'cd'.repeat(32))
    .catch((error) => { console.error(error); process.exit(1) })`
  await execute(process.execPath, ['-e', program], {
    cwd: projectFolder,
    env: { ...process.env, ...keyring.environment },
  })
}
