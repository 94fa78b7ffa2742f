import type { Secret } from '@contract'

/** What an environment file says: its variables, the last of each name, and what could not be read. */
export interface EnvText {
  secrets: Secret[]
  /** Names that are there more than once. */
  repeated: string[]
  /** Lines that are no variable; the words never repeat what is on the line, which may be a secret. */
  problems: { line: number; message: string }[]
}

/**
 * Reads the text of an environment file (.env) as the common tools do: NAME=value, with or without `export`; comments;
 * single quotes take everything as it is, double quotes know \n, \r, \t, \" and \\, and both may go over several lines.
 */
export function readEnvText(text: string): EnvText {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  const problems: EnvText['problems'] = []

  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    if (/^\s*(#|$)/.test(line)) continue
    const start = index
    const assignment = /^\s*(?:export\s+)?([^\s=#'"]+)\s*=[ \t]*/.exec(line)
    if (!assignment) {
      problems.push({ line: start + 1, message: 'NAME=value is expected.' })
      continue
    }
    const name = assignment[1] ?? ''
    const rest = [line.slice(assignment[0].length), ...lines.slice(index + 1)].join('\n')
    const value = readValue(rest)
    if (value === null) {
      problems.push({ line: start + 1, message: `The value of ${name} has no closing quote.` })
      continue
    }
    index += value.lines - 1
    if (values.has(name)) repeated.add(name)
    values.set(name, value.text)
  }

  const secrets = [...values].map(([name, value]) => ({ name, value }))
  return { secrets, repeated: [...repeated], problems }
}

/** The secrets with those of an environment file: the value of a name that is there already is replaced. */
export function mergeSecrets(present: readonly Secret[], added: readonly Secret[]): Secret[] {
  const newValues = new Map(added.map(({ name, value }) => [name, value]))
  const names = new Set(present.map(({ name }) => name))
  return [
    ...present
      .filter(({ name, value }) => name !== '' || value !== '')
      .map((secret) => {
        const value = newValues.get(secret.name)
        return value === undefined ? secret : { name: secret.name, value }
      }),
    ...added.filter(({ name }) => !names.has(name)),
  ]
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' }

/** The value at the beginning of a text and how many lines it takes; null where its quote is not closed. */
function readValue(rest: string): { text: string; lines: number } | null {
  const quote = rest[0]
  if (quote !== '"' && quote !== "'") {
    const line = rest.split('\n', 1)[0] ?? ''
    return { text: line.replace(/(^|\s)#.*$/, '').trim(), lines: 1 }
  }
  const quoted = quote === '"' ? /^"((?:[^"\\]|\\[^])*)"/.exec(rest) : /^'([^']*)'/.exec(rest)
  if (!quoted) return null
  const inner = quoted[1] ?? ''
  const text =
    quote === "'" ? inner : inner.replace(/\\([^])/g, (whole, sign: string) => escapes[sign] ?? whole)
  return { text, lines: quoted[0].split('\n').length }
}
