import type { BoardChoice } from '@contract/ipc/screens'

/** What decides an environment's place on the board, and whether it is shown. */
export interface BoardEnvironment {
  id: string
  name: string
  storage: 'built-in' | 'keychain' | 'session'
  isProtected: boolean
  /** Whether it was never synchronised, so that nothing of it is cached. */
  isEmpty: boolean
}

/** Words in names of environments, from the least production-like to production itself. */
const stages: RegExp[] = [
  /\b(?:dev|devel|development|local)\b/i,
  /\b(?:int|integration|test|testing|qa|ci)\b/i,
  /\b(?:uat|demo|stg|stage|staging|canary|pre-?prod|pre-?production)\b/i,
]
const production = /\b(?:prd|prod|production|live)\b/i

/** How much an environment looks like production. Sandboxes do least, protected environments most. */
function stageOf({ name, storage, isProtected }: BoardEnvironment): number {
  if (storage === 'built-in') return -1
  const words = name.replace(/_/g, ' ')
  const stage = stages.findIndex((stage) => stage.test(words))
  // "pre-prod" has both words.
  if (stage === stages.length - 1) return stage
  if (isProtected || production.test(words)) return stages.length + 1
  return stage < 0 ? stages.length : stage
}

/**
 * The environments in the order of columns: those arranged by hand first, then by how production-like they look, and
 * then, also by that, those with nothing to show.
 */
export function arrangedEnvironments<Environment extends BoardEnvironment>(
  environments: readonly Environment[],
  order: readonly string[],
): Environment[] {
  const byStage = environments
    .map((environment, at) => ({ environment, stage: stageOf(environment), at }))
    .sort(
      (one, other) =>
        Number(one.environment.isEmpty) - Number(other.environment.isEmpty) ||
        one.stage - other.stage ||
        one.at - other.at,
    )
    .map(({ environment }) => environment)
  const arranged = order.flatMap((id) => byStage.find((one) => one.id === id) ?? [])
  const result = [...arranged]
  // A new one comes after the one that it follows by default.
  byStage.forEach((environment, at) => {
    if (result.includes(environment)) return
    const before = byStage[at - 1]
    result.splice(before ? result.indexOf(before) + 1 : 0, 0, environment)
  })
  return result
}

/** Whether an environment has a column. A sandbox has one only while there is nothing else, or if it was chosen. */
export function isColumn(
  environment: BoardEnvironment,
  environments: readonly BoardEnvironment[],
  { hidden, shown }: Pick<BoardChoice, 'hidden' | 'shown'>,
): boolean {
  if (hidden.includes(environment.id)) return false
  if (shown.includes(environment.id) || environment.storage !== 'built-in') return true
  return environments.every(({ storage }) => storage === 'built-in')
}

/** The choice after an environment was hidden or shown. */
export function withColumn(
  { hidden, shown }: Pick<BoardChoice, 'hidden' | 'shown'>,
  id: string,
  isShown: boolean,
): Pick<BoardChoice, 'hidden' | 'shown'> {
  const without = (ids: readonly string[]): string[] => ids.filter((one) => one !== id)
  return isShown
    ? { hidden: without(hidden), shown: [...without(shown), id] }
    : { hidden: [...without(hidden), id], shown: without(shown) }
}

/** The order after an environment moved by one column among those that are shown. */
export function movedColumn(order: readonly string[], id: string, by: 1 | -1): string[] {
  const from = order.indexOf(id)
  const to = from + by
  if (from < 0 || to < 0 || to >= order.length) return [...order]
  const moved = order.filter((one) => one !== id)
  moved.splice(to, 0, id)
  return moved
}
