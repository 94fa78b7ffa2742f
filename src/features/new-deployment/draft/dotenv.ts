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

/**
 * Reads an environment file (.env) as python-dotenv and dotenv (Node.js) do: NAME=value, with or without `export`, and
 * comments. Where the two differ, `A=b#c` is all of it, escapes are resolved in double quotes only, and `${NAME}` stays
 * as it is. The lines from BEGIN to END of a key or certificate are one value, also without quotes.
 */
export function readEnvText(text: string): EnvText {
  const whole = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  const problems: LineProblem[] = []

  for (let at = 0; at < whole.length;) {
    const rest = whole.slice(at)
    const [line = ''] = rest.split('\n', 1)
    const [start = '', name] = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=[ \t\u00a0]*/.exec(line) ?? []
    const entered = rest.slice(start.length)
    const value = name === undefined ? null : readValue(entered)
    if (name !== undefined && value) {
      if (values.has(name)) repeated.add(name)
      values.set(name, value.text)
    } else if (!/^\s*(#|$)/.test(line)) {
      const message = name === undefined ? noVariable : problemOf(entered)
      problems.push({ line: whole.slice(0, at).split('\n').length, message })
    }
    const end = whole.indexOf('\n', at + start.length + (value?.length ?? 0))
    at = end < 0 ? whole.length : end + 1
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

const escapes: Record<string, string> = {
  ...{ n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '\\': '\\' },
  ...{ a: '\x07', b: '\b', f: '\f', v: '\v' },
}

/** The kinds of value, and the text of each: keys and certificates, in quotes, and up to the end of the line. */
const kinds: readonly [RegExp, (value: string) => string][] = [
  [
    // Also several in a row (RFC 7468; SSH and PGP use the same lines).
    /^(?:\s*-{4,5} ?BEGIN ([^-\n]+?) ?-{4,5}(?:[^-]|-(?!-{3}))*-{4,5} ?END \1 ?-{4,5}[ \t]*(?![^\n]))+/,
    (keys) => keys.replace(/[^\S\n]*\n[^\S\n]*/g, '\n').trim(),
  ],
  [
    /^"(?:[^"\\]|\\[^])*"(?=[^\S\n]*(?:#.*)?(?![^\n]))/,
    (value) => value.slice(1, -1).replace(/\\([^])/g, (escape, sign: string) => escapes[sign] ?? escape),
  ],
  [/^(?:'[^']*'|`[^`]*`)(?=[^\S\n]*(?:#.*)?(?![^\n]))/, (value) => value.slice(1, -1)],
  [
    /^(?!["'`]|#[^\s#]|-{4,5} ?BEGIN (?!.*-{4,5} ?END )).*/,
    (value) => value.replace(/(^|\s)#.*$/, '').trim(),
  ],
]

/** The value at the beginning of a text, and how many characters it takes; null if it can't be read. */
function readValue(text: string): { text: string; length: number } | null {
  for (const [pattern, textOf] of kinds) {
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) return { text: textOf(found), length: found.length }
  }
  return null
}

const noVariable = 'NAME=value is expected; a name has letters, digits and underscores.'

/** Why a value can't be read. */
function problemOf(text: string): string {
  if (text.startsWith('#'))
    return 'Put the value in quotes if it begins with #; or put a blank after the # of a comment.'
  if (text.startsWith('-')) return 'The END line of this key or certificate is missing.'
  return /^(?:"(?:[^"\\]|\\[^])*"|'[^']*'|`[^`]*`)/.test(text)
    ? 'Text follows the closing quote. Put the whole value into one pair of quotes.'
    : 'The closing quote is missing.'
}
