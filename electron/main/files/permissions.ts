import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ownerOnly } from '.'

/** Slipway's own entries of the user data folder. The cache protects its folder itself. */
const ownFiles = /^(?:state|environments|window|choices)[.]/
const ownFolders = ['logs', 'built-in-service', 'unfinished'] as const

/** Deep enough for the databases of the built-in service. */
const deepest = 3

/**
 * Lets only the owner read Slipway's data. An earlier version, a copied profile or a user may have left it open to
 * others. Protects the folder, and each file in it, in case it is copied elsewhere. Rejects at the end if an entry
 * couldn't be protected or examined.
 */
export async function closeToOthers(userDataFolder: string): Promise<void> {
  // Windows has rules of its own and protects a user's folder.
  if (process.platform === 'win32') return
  const open: string[] = []
  const unseen: string[] = []
  const close = async (path: string, depth: number): Promise<void> => {
    let isOpen = false
    try {
      const found = await lstat(path)
      if (found.isSymbolicLink()) return
      const wanted = found.isDirectory() ? ownerOnly.folder : ownerOnly.file
      isOpen = (found.mode & 0o777 & ~wanted) !== 0
      if (isOpen) await chmod(path, found.mode & wanted)
      isOpen = false
      if (!found.isDirectory() || depth === 0) return
      for (const name of await readdir(path)) await close(join(path, name), depth - 1)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') (isOpen ? open : unseen).push(`${path} (${code})`)
    }
  }
  await close(userDataFolder, 0)
  const names = await readdir(userDataFolder)
  for (const name of names.filter((one) => ownFiles.test(one))) await close(join(userDataFolder, name), 0)
  for (const name of ownFolders) await close(join(userDataFolder, name), deepest)
  const said = [
    ['These can be read by others', open],
    ["Slipway couldn't check whether others can read these", unseen],
  ] as const
  const words = said.flatMap(([what, paths]) => (paths.length > 0 ? `${what}: ${paths.join(', ')}` : []))
  if (words.length > 0) throw new Error(words.join('. '))
}
