/**
 * Whether the operator came to this screen by going back: vue-router notes in the current entry that others follow it.
 */
export const cameBack = (): boolean => Boolean((history.state as { forward?: string | null } | null)?.forward)
