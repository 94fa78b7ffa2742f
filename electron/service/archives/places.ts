/** The identifiers of an archive and of what it belongs to, in lower case. */
export interface ArchivePlace {
  tenantId: string
  deploymentId: string
  archiveId: string
}

/** A deployment that may have archives. */
export type ArchiveOwner = Pick<ArchivePlace, 'tenantId' | 'deploymentId'>

/** The prefix of a `source_tarball_path` that names an archive of this service. Other paths are elsewhere. */
const prefix = 'archives/'

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const shape = new RegExp(`^${prefix}(${uuid})/(${uuid})\\.tar\\.gz$`)

/** An archive as a `source_tarball_path` names it. */
export function objectPathOf({ deploymentId, archiveId }: ArchivePlace): string {
  return `${prefix}${deploymentId}/${archiveId}.tar.gz`
}

/** Whether a `source_tarball_path` is meant to name an archive of this service. */
export function isObjectPath(path: string): boolean {
  return path.startsWith(prefix)
}

/** The place of the archive that a tenant's `source_tarball_path` names; null if it can't name one. */
export function placeOf(path: string, tenantId: string): ArchivePlace | null {
  const [, deploymentId, archiveId] = shape.exec(path) ?? []
  return deploymentId === undefined || archiveId === undefined ? null : { tenantId, deploymentId, archiveId }
}
