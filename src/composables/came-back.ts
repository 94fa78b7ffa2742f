/**
 * Whether the screen in view was reached by going back: vue-router keeps in the current entry that others come after
 * it.
 */
export const cameBack = (): boolean => Boolean((history.state as { forward?: string | null } | null)?.forward)
