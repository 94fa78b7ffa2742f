import { isWellFormed } from '@contract/core/untrusted-text'

/**
 * The path of a deployment's screen; null if its identifier can't be in a path. Slipway no longer accepts such
 * deployments, but caches and journals of earlier versions contain some.
 */
export const deploymentPath = (id: string): string | null =>
  isWellFormed(id) ? `/deployments/${encodeURIComponent(id)}` : null
