import { isWellFormed } from '@contract/core/untrusted-text'

/**
 * The path of a deployment's screen; null if its identifier can't be in a path. Such deployments are refused now, but
 * caches and journals of earlier versions have them.
 */
export const deploymentPath = (id: string): string | null =>
  isWellFormed(id) ? `/deployments/${encodeURIComponent(id)}` : null
