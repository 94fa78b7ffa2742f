/**
 * Chromium makes a socket in a folder of its own below the folder for temporary files, and ends without a word where the
 * socket's path is longer than the system allows: 107 bytes, on macOS 103, of which its own part takes 46 at most.
 */
const longest = 103 - 46

/**
 * Leaves the folder for temporary files to the system where TMPDIR is too long for Chromium. Must be called before
 * anything asks for the lock of the folder with the user data.
 *
 * @returns whether it was too long
 */
export function avoidLongTemporaryFolder(variables: NodeJS.ProcessEnv = process.env): boolean {
  if (Buffer.byteLength(variables['TMPDIR'] ?? '') <= longest) return false
  delete variables['TMPDIR']
  return true
}
