import type { Secret } from '@contract'

/** The content of an environment file: its variables (the last one of each name), and what couldn't be read. */
export interface EnvText {
  secrets: Secret[]
  /** Names that occur more than once. */
  repeated: string[]
  /** Lines that aren't variables. The messages never repeat a line, which may be a secret. */
  problems: { line: number; message: string }[]
}

/**
 * Reads an environment file (.env) as common tools do: NAME=value, with or without `export`, and comments. Text in
 * single quotes is literal. Double quotes support \n, \r, \t, \" and \\. Both may span several lines.
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

/** Adds the secrets of an environment file to others, and replaces the values of those with the same name. */
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

/** The value at the beginning of a text and the number of its lines; null if its quote isn't closed. */
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
