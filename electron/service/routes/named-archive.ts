import type { Archives } from '../archives/archives'
import { type ArchiveOwner, isObjectPath } from '../archives/places'
import type { Store, Target } from '../database/store'
import { readDeployment } from './read-deployment'

/** The longest path that an answer repeats. The rest is cut. */
const longestPath = 120

/** The archive of this service that a request names; null if it names none. */
export function namedArchive(
  config: { source_tarball_path?: string | null } | null | undefined,
): string | null {
  const path = config?.source_tarball_path
  return path && isObjectPath(path) ? path : null
}

/**
 * Sees to it that an archive stays for as long as a deployment that names it. Gives why the deployment can't name it;
 * null if it can.
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

/** Why a deployment can't get a revision of what a request names: the status and the text of the answer; null if it can. */
export async function whyNotRevisable(
  store: Store,
  archives: Archives | null,
  target: Target,
  config: Parameters<typeof namedArchive>[0],
): Promise<{ status: 400 | 404; detail: string } | null> {
  const path = namedArchive(config)
  if (archives === null || path === null) return null
  const deployment = await readDeployment(store, target, new Date().toISOString())
  if (deployment === null) return { status: 404, detail: `Deployment ID ${target.id} not found.` }
  const owner = { tenantId: target.tenantId, deploymentId: deployment.id }
  const detail = await whyNotNameable(archives, owner, path)
  return detail === null ? null : { status: 400, detail }
}
