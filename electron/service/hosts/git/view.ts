import { constants } from 'node:fs'
import { lstat, mkdir, open, opendir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The limits of packed refs and of one ref, in bytes, and of the number of files and folders of refs. */
const longestPacked = 16 * 1024 * 1024
const longestRef = 4 * 1024
const mostFiles = 20_000

/** The only parts of a repository that are read. */
const namespaces = ['refs/heads', 'refs/tags']

/**
 * Creates a git directory with the refs of a repository, but not its config. Leaves out links and special files.
 *
 * @throws {Error} if the repository exceeds the limits
 */
export async function makeView(repository: string, view: string): Promise<void> {
  const head = await readRegular(join(repository, 'HEAD'), longestRef)
  if (head === null) throw new Error("its HEAD isn't a small file")
  const packed = await readRegular(join(repository, 'packed-refs'), longestPacked)
  const copy = { left: mostFiles, isSha256: isSha256(packed?.toString('latin1') ?? '') }
  await mkdir(view)
  // git requires both folders.
  for (const folder of ['objects', 'refs', ...namespaces]) await mkdir(join(view, folder))
  await writeFile(join(view, 'HEAD'), head)
  if (packed !== null) await writeFile(join(view, 'packed-refs'), packed)
  for (const namespace of namespaces) await copyRefs(join(repository, namespace), join(view, namespace), copy)
  await writeFile(join(view, 'config'), configOf(copy.isSha256))
}

/** Whether refs are SHA-256. The repository's config would say so, but it isn't read. */
const isSha256 = (refs: string): boolean => /^[\da-f]{64}\b/m.test(refs)

/** Maps packs in small parts, within the memory limit. */
const configOf = (isOfSha256: boolean): string => `[core]
  repositoryformatversion = ${isOfSha256 ? 1 : 0}
  bare = true
  packedGitWindowSize = 1m
  packedGitLimit = 64m
${isOfSha256 ? '[extensions]\n  objectFormat = sha256\n' : ''}`

async function copyRefs(from: string, to: string, copy: { left: number; isSha256: boolean }): Promise<void> {
  if (!(await isFolder(from))) return
  for await (const entry of await opendir(from)) {
    copy.left -= 1
    if (copy.left < 0) throw new Error(`it has more than ${mostFiles} files of refs`)
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      await mkdir(target)
      await copyRefs(source, target, copy)
    } else if (entry.isFile()) {
      const content = await readRegular(source, longestRef)
      if (content === null) continue
      copy.isSha256 ||= isSha256(content.toString('latin1'))
      await writeFile(target, content)
    }
  }
}

/**
 * Makes sure that a repository has its own objects: git would follow links and alternates to those of others.
 *
 * @throws {Error} if it doesn't
 */
export async function requireOwnObjects(objects: string): Promise<void> {
  for (const entry of await readdir(objects, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink() || /^(?:http-)?alternates$/.test(entry.name)) {
      throw new Error('its objects are in another place')
    }
  }
}

/** Whether a path is a folder, and not a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() ?? false
}

/**
 * The content of a file; null if it is missing, a link or a special file.
 *
 * @throws {Error} if it is longer than `most` bytes
 */
async function readRegular(path: string, most: number): Promise<Buffer | null> {
  // Otherwise opening a pipe would block.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch(() => null)
  if (file === null) return null
  try {
    const found = await file.stat()
    if (!found.isFile()) return null
    const buffer = Buffer.alloc(Math.min(found.size, most) + 1)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    if (bytesRead > most) throw new Error(`${path} is larger than ${most} bytes`)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
