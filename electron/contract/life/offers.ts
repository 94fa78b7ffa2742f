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

const interruptCalls = ['interrupt', 'interruption'] as const

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

/** A route of a service's document: "GET /v2/deployments/{}/revisions". */
type Route = string

const routes: [operation: LifeOperation, route: RegExp][] = [
  ['revisions', /^GET .*\/v2\/deployments\/\{\}\/revisions$/],
  ['change', /^PATCH .*\/v2\/deployments\/\{\}$/],
  ['new-revision', /^POST .*\/v2\/deployments\/\{\}\/revisions$/],
  ['redeploy', /^POST .*\/v2\/deployments\/\{\}\/revisions\/\{\}\/redeploy$/],
  ['interrupt', /^POST .*\/v2\/deployments\/\{\}\/revisions\/\{\}\/interrupt(?:ion)?$/],
  ['delete', /^DELETE .*\/v2\/deployments\/\{\}$/],
  ['delete-many', /^DELETE .*\/v2\/deployments$/],
  ['integrations', /^GET .*\/v1\/integrations\/forge\/repohost\/install$/],
  ['listeners', /^GET .*\/v2\/listeners$/],
]

const logRoutes: [call: LogCall, route: RegExp][] = [
  ['revision', /^GET .*\/v2\/deployments\/\{\}\/revisions\/\{\}\/logs$/],
  ['deployment', /^GET .*\/v2\/deployment-logs$/],
  ['project', /^POST .*\/v1\/projects\/\{\}\/revisions\/\{\}\/build_logs$/],
]

/** Offers with exactly these writes switched on by the operator. What turned out to be missing is tried again. */
export function withByHand(offers: Offers, byHand: readonly Write[]): Offers {
  const found = offers.operations.filter((one) => !offers.byHand.some((write) => write === one))
  const added = byHand.filter((one) => !found.includes(one))
  const missing = offers.missing.filter(({ operation }) => !added.some((one) => one === operation))
  return { ...offers, operations: [...found, ...added], byHand: added, missing }
}

/** Offers without an operation that the service doesn't have. */
export const withoutOperation = (offers: Offers, operation: LifeOperation, reason: string): Offers => ({
  ...offers,
  operations: offers.operations.filter((one) => one !== operation),
  byHand: offers.byHand.filter((one) => one !== operation),
  missing: [...offers.missing.filter((one) => one.operation !== operation), { operation, reason }],
})

/** What the routes of a service's document offer. */
export function offersOf(found: readonly Route[]): Pick<Offers, 'operations' | 'logCall' | 'interruptCall'> {
  const has = (route: RegExp): boolean => found.some((one) => route.test(one))
  const operations = routes.filter(([, route]) => has(route)).map(([operation]) => operation)
  const logCall = logRoutes.find(([, route]) => has(route))?.[0] ?? null
  const interruptCall = interruptCalls.find((call) => has(new RegExp(`^POST .*/${call}$`))) ?? null
  return { operations: logCall ? [...operations, 'logs'] : operations, logCall, interruptCall }
}

/**
 * The routes of an OpenAPI document that have a good answer, with `{}` for each parameter; null if it isn't such a
 * document.
 */
export function readRoutes(document: unknown): Route[] | null {
  const paths = (document as { paths?: unknown } | null)?.paths
  if (typeof paths !== 'object' || paths === null) return null
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries((methods ?? {}) as object)
      .filter(([, operation]) => hasGoodAnswer(operation))
      .map(([method]) => `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '')}`),
  )
}

/** A route that is there only to say that it isn't offered has no good answer. */
function hasGoodAnswer(operation: unknown): boolean {
  const { responses } = (operation ?? {}) as { responses?: unknown }
  if (typeof responses !== 'object' || responses === null) return true
  const statuses = Object.keys(responses)
  return statuses.length === 0 || statuses.some((status) => /^(?:2|default)/i.test(status))
}
