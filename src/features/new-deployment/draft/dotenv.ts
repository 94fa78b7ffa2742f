import type { Secret } from '@contract'

/** What is wrong with a line. The message never repeats any of the line, which may be a secret. */
interface LineProblem {
  line: number
  message: string
}

/** The content of an environment file: its variables (the last one of each name), and what couldn't be read. */
export interface EnvText {
  secrets: Secret[]
  /** Names that occur more than once. */
  repeated: string[]
  /** Lines that aren't variables. */
  problems: LineProblem[]
}

/** A value, or why it can't be read, and how many characters it takes. */
type Value = { text: string; length: number } | { problem: string; length: number }

/**
 * Reads an environment file (.env) as python-dotenv and dotenv (Node.js) do: NAME=value, with or without `export`, and
 * comments. Where the two differ, `A=b#c` is all of it, escapes are resolved in double quotes only, and `${NAME}` stays
 * as it is. The lines from BEGIN to END of a key or certificate are one value, also without quotes.
 */
export function readEnvText(text: string): EnvText {
  let rest = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  const problems: LineProblem[] = []

  for (let line = 1; rest !== '';) {
    const [first = ''] = rest.split('\n', 1)
    const [before = '', name] = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=[ \t\u00a0]*/.exec(first) ?? []
    const value: Value | null = /^\s*(#|$)/.test(first)
      ? null
      : name === undefined
        ? { problem: 'NAME=value is expected; a name has letters, digits and underscores.', length: 0 }
        : readValue(rest.slice(before.length))
    if (value && 'problem' in value) problems.push({ line, message: value.problem })
    else if (value && name !== undefined) {
      if (values.has(name)) repeated.add(name)
      values.set(name, value.text)
    }
    const end = rest.indexOf('\n', before.length + (value?.length ?? 0))
    const read = end < 0 ? rest : rest.slice(0, end + 1)
    line += read.split('\n').length - 1
    rest = rest.slice(read.length)
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

/** Keys and certificates, also several in a row (RFC 7468; SSH and PGP use the same lines). */
const pem = /^(?:\s*-{4,5} ?BEGIN ([^-\n]+?) ?-{4,5}(?:[^-]|-(?!-{3}))*-{4,5} ?END \1 ?-{4,5}[ \t]*(?:\n|$))+/

const quoted = /^(?:"(?:[^"\\]|\\[^])*"|'[^']*'|`[^`]*`)/
const escapes: Record<string, string> = {
  ...{ n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '\\': '\\' },
  ...{ a: '\x07', b: '\b', f: '\f', v: '\v' },
}

/** The value at the beginning of a text. */
function readValue(rest: string): Value {
  const [line = ''] = rest.split('\n', 1)
  if (/^["'`]/.test(line)) return readQuoted(rest)
  if (/^-{4,5} ?BEGIN /.test(line) && !/-{4,5} ?END /.test(line)) {
    const key = pem.exec(rest)?.[0].replace(/\n$/, '')
    if (key === undefined)
      return { problem: 'The END line of this key or certificate is missing.', length: 0 }
    return { text: key.replace(/[^\S\n]*\n[^\S\n]*/g, '\n').trim(), length: key.length }
  }
  if (/^#[^\s#]/.test(line)) {
    const problem = 'Put the value in quotes if it begins with #; or put a blank after the # of a comment.'
    return { problem, length: 0 }
  }
  return { text: line.replace(/(^|\s)#.*$/, '').trim(), length: line.length }
}

function readQuoted(rest: string): Value {
  const [whole] = quoted.exec(rest) ?? []
  if (whole === undefined) return { problem: 'The closing quote is missing.', length: 0 }
  const { length } = whole
  const [after = ''] = rest.slice(length).split('\n', 1)
  if (!/^\s*(#|$)/.test(after)) {
    return { problem: 'Text follows the closing quote. Put the whole value into one pair of quotes.', length }
  }
  const inner = whole.slice(1, -1)
  if (!whole.startsWith('"')) return { text: inner, length }
  return { text: inner.replace(/\\([^])/g, (escape, sign: string) => escapes[sign] ?? escape), length }
}
