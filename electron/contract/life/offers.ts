/**
 * What a service may offer beside the three calls of the interface. An optional second contract: nothing here is needed
 * for a service that only lists and creates.
 */
export type LifeOperation =
  | 'revisions'
  | 'logs'
  | 'change'
  | 'new-revision'
  | 'redeploy'
  | 'interrupt'
  | 'delete'
  | 'delete-many'
  | 'integrations'
  | 'listeners'

/** The operations that write. Without a document, only the operator can say that a service has them. */
export const writes = ['change', 'new-revision', 'redeploy', 'interrupt', 'delete'] as const

export type Write = (typeof writes)[number]

/** The forms of the call that reads a log. */
export type LogCall = 'revision' | 'deployment' | 'project'

/** The names that services have for the call that interrupts a revision. */
export const interruptCalls = ['interrupt', 'interruption'] as const

/** What a service offers, and how that was found out. */
export interface Offers {
  operations: LifeOperation[]
  logCall: LogCall | null
  /** The last part of the path of the call that interrupts a revision. */
  interruptCall: (typeof interruptCalls)[number] | null
  /** From the service's own document, or from requests that only read. */
  from: 'document' | 'requests'
  /** Writes among `operations` that the operator switched on. */
  byHand: Write[]
  /** Operations that a service turned out not to have, each with the reason. They aren't among `operations`. */
  missing: { operation: LifeOperation; reason: string }[]
  readAt: string
}
