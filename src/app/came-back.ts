/** The paths before and after the current one, which vue-router keeps in the current history entry. */
export const historyNeighbours = (): { back?: string | null; forward?: string | null } =>
  (history.state ?? {}) as { back?: string | null; forward?: string | null }

/** Whether going back leads to a path. */
export const isBehind = (path: string): boolean => historyNeighbours().back === path

/** Whether the operator came to this screen by going back: others follow it. */
export const cameBack = (): boolean => Boolean(historyNeighbours().forward)
