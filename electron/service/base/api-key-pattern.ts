/**
 * What a key looks like, as the source of a regular expression, with its identifier, which isn't secret, as a group. The
 * prefix shows people, and programs that look for leaked secrets, what they found.
 */
export const apiKeyPattern = String.raw`slipway_([0-9a-f]{16})_[\w-]{43}`
