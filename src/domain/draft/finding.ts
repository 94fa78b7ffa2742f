import type { FindingLevel } from '@contract'
import type { Path } from '../text/json-path'

/**
 * Something about a draft that its author should know. An `error` must be mended before anything is sent. A
 * `warning` of level `required` is sent only on request; one of level `usual` is just said.
 */
export type DraftFinding = { path: Path; message: string } & (
  { severity: 'error' } | { severity: 'warning'; level: Exclude<FindingLevel, 'certain'> }
)
