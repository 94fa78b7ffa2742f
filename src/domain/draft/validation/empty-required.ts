import type { Draft } from '../draft'
import type { DraftFinding } from './finding'
import { type Path, valueAt } from '../../text/json-path'

/** The members that a draft's request needs and that are empty. `findings` are those of its check. */
export function emptyRequired({ entered }: Draft, findings: readonly DraftFinding[]): Path[] {
  return findings
    .filter((finding) => finding.severity === 'error' || finding.level === 'required')
    .map(({ path }) => path)
    .filter((path) => isEmpty(valueAt(entered, path)))
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''
