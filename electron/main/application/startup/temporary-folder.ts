import { whyNotWritable } from '../../files/writable'

/**
 * Chromium creates a socket in a folder of its own, in the folder for temporary files. If it can't, or if the path is
 * longer than the system allows, Chromium ends without a message. The limit is 107 bytes, on macOS 103. Its own part
 * takes up to 46.
 */
const longest = 103 - 46

/**
 * Uses the system's folder for temporary files if Chromium can't use the one in TMPDIR. Call it before the lock of the
 * user data folder is requested.
 *
 * @returns why it can't, as a clause; null if it can, or TMPDIR isn't set
 */
export function avoidUnusableTemporaryFolder(variables: NodeJS.ProcessEnv = process.env): string | null {
  const folder = variables['TMPDIR']
  if (!folder) return null
  const why = whyNotUsable(folder)
  if (why !== null) delete variables['TMPDIR']
  return why
}

function whyNotUsable(folder: string): string | null {
  if (Buffer.byteLength(folder) > longest) return 'the path in TMPDIR is too long'
  const reason = whyNotWritable(folder)
  return reason === null ? null : `nothing can be written to the one in TMPDIR (${reason})`
}
