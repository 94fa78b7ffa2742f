/**
 * The form of a key, as the source of a regular expression. Its group is the identifier, which isn't secret. The prefix
 * tells people, and programs that look for leaked secrets, what they found.
 */
export const apiKeyPattern = String.raw`slipway_([0-9a-f]{16})_[\w-]{43}`
