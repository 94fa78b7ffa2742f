import { isWellFormed } from '@contract/core/untrusted-text'

/**
 * The path of a deployment's screen; null where none can be made of its identifier. Such a deployment is not read any
 * more, but caches and journals of earlier versions have them.
 */
export const deploymentPath = (id: string): string | null =>
  isWellFormed(id) ? `/deployments/${encodeURIComponent(id)}` : null
