import { createHash } from 'node:crypto'

/**
 * The name under which this installation keeps its keychain entries: `Slipway`, or where the user data are in
 * another folder than the usual one, a name that belongs to that folder, so that installations beside each
 * other (and tests) never touch each other's entries.
 */
export function keychainServiceName(userDataFolder: string, usualFolder: string): string {
  if (userDataFolder === usualFolder) return 'Slipway'
  return `Slipway-${createHash('sha256').update(userDataFolder).digest('hex').slice(0, 16)}`
}
