/**
 * How sure a finding is:
 * - `certain`: the interface says so; the form does not send, the service refuses;
 * - `required`: services were seen to refuse it; the form warns, the built-in service refuses;
 * - `usual`: only unusual; the form warns, the built-in service accepts.
 */
export type FindingLevel = 'certain' | 'required' | 'usual'

/** One thing to mend or to know about a request; `path` leads to the member it is about. */
export interface Finding {
  level: FindingLevel
  path: (string | number)[]
  message: string
}
