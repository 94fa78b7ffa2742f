import type { Archives } from '../../archives/archives'
import { type ArchiveOwner, isObjectPath } from '../../archives/places'
import { StorageFailure } from '../../base/storage-failure'
import type { NameHolder } from '../../database/store'

/** The longest path that an answer repeats. Longer ones are cut. */
const longestPath = 120

/** The archive of this service that a request names; null if it doesn't name one. */
export function namedArchive(
  config: { source_tarball_path?: string | null } | null | undefined,
): string | null {
  const path = config?.source_tarball_path
  return path && isObjectPath(path) ? path : null
}

/**
 * Keeps an archive for as long as a deployment that names it. Gives why the deployment can't name it; null if it can.
 */
export async function whyNotNameable(
  archives: Archives,
  owner: ArchiveOwner,
  path: string,
): Promise<string | null> {
  if (await archives.keepFor(owner, path)) return null
  const shown = path.length > longestPath ? `${path.slice(0, longestPath)}...` : path
  return `source_revision_config.source_tarball_path: there is no archive ${shown}. Upload it first.`
}

/** The result of a creation with an archive: what holds the name, or why the archive can't be named. */
type CreatedWith = { ok: true; holder: NameHolder } | { ok: false; detail: string }

/**
 * Runs `create` for a deployment that may name an archive. The archive is kept for as long as the deployment, which
 * must be ensured before the creation. If the deployment isn't created, that is undone.
 */
export async function createWithArchive(
  archives: Archives | null,
  owner: ArchiveOwner,
  path: string | null,
  create: () => Promise<NameHolder>,
): Promise<CreatedWith> {
  if (archives === null || path === null) return { ok: true, holder: await create() }
  const detail = await whyNotNameable(archives, owner, path)
  if (detail !== null) return { ok: false, detail }
  try {
    const holder = await create()
    if (holder !== null) await archives.drop(owner)
    return { ok: true, holder }
  } catch (error) {
    const mayBeThere = error instanceof StorageFailure && error.reason === 'uncertain'
    if (!mayBeThere) await archives.drop(owner).catch(() => undefined)
    throw error
  }
}
