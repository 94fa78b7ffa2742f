import type { FindingLevel } from '@contract'
import type { Path } from '../text/json-path'

/**
 * Something that the author of a draft should know. An `error` has to be fixed before anything is sent. A draft with a
 * `warning` of level `required` is sent only on request. A `warning` of level `usual` is only shown.
 */
export type DraftFinding = { path: Path; message: string } & (
  { severity: 'error' } | { severity: 'warning'; level: Exclude<FindingLevel, 'certain'> }
)
