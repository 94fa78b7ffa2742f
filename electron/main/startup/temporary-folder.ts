import { whyNotWritable } from '../files/writable'

/**
 * Chromium makes a socket in a folder of its own below the folder for temporary files, and ends without a word where it
 * can't, or where the socket's path is longer than the system allows: 107 bytes, on macOS 103, of which its own part
 * takes 46 at most.
 */
const longest = 103 - 46

/**
 * Leaves the folder for temporary files to the system where Chromium can't use the one in TMPDIR. Must be called before
 * anything asks for the lock of the folder with the user data.
 *
 * @returns why not, as a clause; null where it can, or none is named
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
