import type { Environment } from '@contract'

/**
 * The order of the environments that the operator added, after one of them has moved past its visible neighbour; null
 * at the end of the list.
 *
 * @param all every environment, in order; the built-in ones are first and can't be moved
 * @param shown those of `all` that the table shows
 * @param by -1 for up, 1 for down
 */
export function orderAfterMove(
  all: readonly Environment[],
  shown: readonly Environment[],
  id: string,
  by: -1 | 1,
): string[] | null {
  const isOwn = ({ storage }: Environment): boolean => storage !== 'built-in'
  const movable = shown.filter(isOwn)
  const index = movable.findIndex((environment) => environment.id === id)
  const over = index < 0 ? undefined : movable[index + by]
  if (!over) return null
  const others = all.filter((environment) => isOwn(environment) && environment.id !== id).map((one) => one.id)
  others.splice(others.indexOf(over.id) + (by === 1 ? 1 : 0), 0, id)
  return others
}
