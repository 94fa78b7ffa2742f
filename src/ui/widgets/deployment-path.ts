import type { DeploymentSection } from '@contract/core/app-link'
import { isWellFormed } from '@contract/core/text'

/**
 * The path of a deployment's screen, with the section to show; null if its identifier can't be in a path. Slipway no
 * longer accepts such deployments, but caches and journals of earlier versions contain some.
 */
export function deploymentPath(id: string, section: DeploymentSection | null = null): string | null {
  if (!isWellFormed(id)) return null
  const path = `/deployments/${encodeURIComponent(id)}`
  return section === null ? path : `${path}?section=${section}`
}
