/**
 * How certain a finding is:
 * - `certain`: the interface says so. The form doesn't send the request, and the service refuses it.
 * - `required`: services have refused it. The form warns, and the built-in service refuses it.
 * - `usual`: it is only unusual. The form warns, and the built-in service accepts it.
 */
export type FindingLevel = 'certain' | 'required' | 'usual'

/** One thing to fix or to know about a request. `path` leads to its member. */
export interface Finding {
  level: FindingLevel
  path: (string | number)[]
  message: string
}
