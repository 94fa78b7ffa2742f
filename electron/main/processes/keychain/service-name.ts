import { createHash } from 'node:crypto'

/**
 * The service name of this installation's keychain entries: `Slipway`, or a separate name if the user data folder isn't
 * the default one. So installations side by side (and tests) never touch each other's entries.
 */
export function keychainServiceName(userDataFolder: string, defaultFolder: string): string {
  if (userDataFolder === defaultFolder) return 'Slipway'
  return `Slipway-${createHash('sha256').update(userDataFolder).digest('hex').slice(0, 16)}`
}
