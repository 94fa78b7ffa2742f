import type { DeploymentSummary } from '@contract'
import { answerLimits } from '@contract/deployment-api/list'

/** What can be copied of several rows. */
export type CopiedMember = 'name' | 'id' | 'image_uri' | 'repo_url'

/** A row's text; null if there is none, or if the list has only the beginning of a long one. */
export function wholeText(row: DeploymentSummary, member: CopiedMember): string | null {
  const text = row[member]
  if (text === null || text === '') return null
  const { summaryTextLength: max, identifierLength } = answerLimits
  if (member === 'id') return text.length <= identifierLength ? text : null
  return text.length < max || (text.length === max && !text.endsWith('…')) ? text : null
}

/** The texts of several rows, in their order. Rows without the text are skipped. */
export const wholeTexts = (rows: readonly DeploymentSummary[], member: CopiedMember): string[] =>
  rows.flatMap((row) => wholeText(row, member) ?? [])
