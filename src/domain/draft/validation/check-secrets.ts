import type { CreateRequest } from '@contract'
import type { DraftFinding } from './finding'
import type { Path } from '../../text/json-path'

/** Names that every program can read as an environment variable (POSIX). */
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Checks the secrets and secret references of a request. The interface has no rule about these, so all findings are
 * warnings.
 */
export function checkSecrets(request: CreateRequest): DraftFinding[] {
  const secrets = request.secrets.map(({ name }, index) => ({ name, path: ['secrets', index, 'name'] }))
  const references = (request.secret_references ?? []).map(({ name }, index) => ({
    name,
    path: ['secret_references', index, 'name'],
  }))
  const empty = request.secrets.flatMap(({ value }, index): DraftFinding[] =>
    value === '' ? [usual(['secrets', index, 'value'], 'The value is empty.')] : [],
  )
  return [...checkNames([...secrets, ...references]), ...empty]
}

function checkNames(entries: { name: string; path: Path }[]): DraftFinding[] {
  const seen = new Set<string>()
  return entries.flatMap(({ name, path }): DraftFinding[] => {
    if (name === '' || name === undefined) return []
    if (seen.has(name))
      return [usual(path, `"${name}" appears twice. The service decides which value counts.`)]
    seen.add(name)
    if (variableName.test(name)) return []
    return [usual(path, "Use letters, digits and underscores; don't start with a digit.")]
  })
}

function usual(path: Path, message: string): DraftFinding {
  return { severity: 'warning', level: 'usual', path, message }
}
