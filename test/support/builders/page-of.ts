/** The page of a list for a query (interface: List deployments), as the body of an answer. */
export function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams | undefined,
): { resources: T[]; offset: number } {
  const offset = Number(query?.get('offset') ?? 0)
  const resources = all.slice(offset, offset + Number(query?.get('limit') ?? 20))
  return { resources, offset: offset + resources.length }
}
