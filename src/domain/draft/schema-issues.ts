import type { createRequestSchema } from '@contract'
import type { Path } from '../text/json-path'

type Failed = Extract<ReturnType<typeof createRequestSchema.safeParse>, { success: false }>

/** An issue that a schema of the contract found. */
export type Issue = Failed['error']['issues'][number]

/** The part of a contract's schema that the form needs. */
export interface Schema<Output> {
  safeParse: (
    value: unknown,
  ) => { success: true; data: Output } | { success: false; error: { issues: Issue[] } }
}

/** The members that an issue is about. An issue about unknown members names each of them. */
export function pathsOf(issue: Issue): Path[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol')
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path]
}
