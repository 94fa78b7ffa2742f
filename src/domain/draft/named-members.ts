import type { FieldIssue } from '@contract'
import type { Path } from '../text/json-path'
import { fieldAt, fieldNames, fields, labelOf } from './fields'

/** How many sentences of a text are read. */
const maxSentences = 50

/**
 * What a service's text says about members of a request: each sentence that names one, such as
 * "source_config.repo_url is required." or "Unknown repo_ref.", with the form's label instead. A plain word such as
 * "name" counts only where a sentence begins with it.
 */
export function issuesInText(text: string): FieldIssue[] {
  return text.split(/(?<=[.!?])\s+|\n+/, maxSentences).flatMap((sentence) => {
    const found = memberIn(sentence)
    if (!found) return []
    const { token, path } = found
    return [{ path: [...path], message: sentence.replace(token, labelOf(path)).trim() }]
  })
}

function memberIn(sentence: string): { token: string; path: Path } | null {
  for (const { 0: token, index } of sentence.matchAll(/[a-z]\w*(?:\.\w+)*/gi)) {
    const path = pathOf(token, index === 0)
    if (path) return { token, path }
  }
  return null
}

function pathOf(token: string, isFirst: boolean): Path | null {
  const [first = '', ...rest] = token.split('.').filter((part, index) => index > 0 || !roots.includes(part))
  if (rest.length === 0) {
    if (first === 'name' && isFirst) return ['name']
    const field = fieldNames.find((name) => name === first)
    return field ? fields[field].path : null
  }
  const path = [first, ...rest.map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : part))]
  return first === 'secrets' || fieldAt(path) ? path : null
}

/** What a service's path may begin with. */
const roots = ['body', 'request']
