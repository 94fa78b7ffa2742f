/**
 * The prefix of upload paths. They need no key, have a time limit of their own, and are logged without their signature.
 */
export const uploadsPath = '/uploads/'

/** Whether an address is an upload's. Others with the same prefix may contain dots that lead out of it. */
export function isUpload(url: string, basePath: string): boolean {
  return url.startsWith(basePath + uploadsPath) && /^[\w/-]+(?:\?|$)/.test(url.slice(basePath.length))
}
