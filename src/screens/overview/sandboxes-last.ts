import type { Environment } from '@contract'

/**
 * The rows with those of sandboxes last, and in the same order otherwise: sample data must not push the operator's own
 * down.
 *
 * @param environmentIdOf the identifier of the environment that a row belongs to
 */
export function sandboxesLast<Row>(
  rows: readonly Row[],
  environments: readonly Environment[],
  environmentIdOf: (row: Row) => string,
): Row[] {
  const sandboxes = new Set(environments.flatMap(({ id, storage }) => (storage === 'built-in' ? id : [])))
  const isOfSandbox = (row: Row): boolean => sandboxes.has(environmentIdOf(row))
  return [...rows.filter((row) => !isOfSandbox(row)), ...rows.filter(isOfSandbox)]
}
