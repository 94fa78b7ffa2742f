/**
 * How certain a finding is:
 * - `certain`: the interface says so. The form doesn't send, and the service refuses.
 * - `required`: services were seen to refuse it. The form warns, and the built-in service refuses.
 * - `usual`: it is only unusual. The form warns, and the built-in service accepts.
 */
export type FindingLevel = 'certain' | 'required' | 'usual'

/** One thing to fix or to know about a request. `path` leads to its member. */
export interface Finding {
  level: FindingLevel
  path: (string | number)[]
  message: string
}
