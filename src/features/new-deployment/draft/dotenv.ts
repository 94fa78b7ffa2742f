import type { Secret } from '@contract'

/** Something about a line. The message never repeats any of the line, which may be a secret. */
interface LineMessage {
  line: number
  message: string
}

/** The content of an environment file: its variables (the last one of each name), and what couldn't be read. */
export interface EnvText {
  secrets: Secret[]
  /** Names that occur more than once. */
  repeated: string[]
  /** Lines that aren't variables. */
  problems: LineMessage[]
  /** Lines that some tools read differently. */
  notes: LineMessage[]
}

/** A value, how many lines it takes, and what some tools read differently; or why it can't be read. */
type Value = { text: string; lines: number; note?: string } | { problem: string; lines?: number }

/**
 * Reads an environment file (.env) where python-dotenv and dotenv (Node.js) agree: NAME=value, with or without
 * `export`, and comments. Where they don't, but one meaning is plain, it is taken and noted:
 * - `A=b#c`: all of it, as python-dotenv and shells do (dotenv ends the value at the #).
 * - `\"`, `\\` and `\t` in double quotes are resolved, as python-dotenv does (dotenv resolves only \n and \r).
 * - Single quotes and backquotes are literal, as in dotenv (python-dotenv resolves `\\` and knows no backquotes).
 * - `${NAME}` stays as it is (python-dotenv replaces it).
 *
 * Anything else is refused by its line, for example text after a closing quote: dotenv takes the quotes into the
 * value, python-dotenv refuses it. The lines from BEGIN to END of a key or certificate are one value, also without
 * quotes; both tools would read each line on its own.
 */
export function readEnvText(text: string): EnvText {
  const whole = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const lines = whole.split('\n')
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  const problems: LineMessage[] = []
  const notes: LineMessage[] = []

  let start = 0
  for (let index = 0; index < lines.length;) {
    const line = lines[index] ?? ''
    const rest = whole.slice(start)
    const assignment = /^\s*(export\s+)?([A-Za-z_][\w.-]*)\s*=[ \t\u00a0]*/.exec(line)
    const value = /^\s*(#|$)/.test(line)
      ? null
      : assignment
        ? readValue(rest.slice(assignment[0].length), assignment[1] !== undefined)
        : notAnAssignment(line, rest)
    const name = assignment?.[2] ?? ''
    if (value && 'problem' in value) {
      problems.push({ line: index + 1, message: value.problem })
    } else if (value) {
      if (value.note) notes.push({ line: index + 1, message: value.note })
      if (values.has(name)) repeated.add(name)
      values.set(name, value.text)
    }
    for (let read = value?.lines ?? 1; read > 0; read -= 1, index += 1)
      start += (lines[index] ?? '').length + 1
  }

  const secrets = [...values].map(([name, value]) => ({ name, value }))
  return { secrets, repeated: [...repeated], problems, notes }
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
const pemBegin = /^\s*["'`]?-{4,5} ?BEGIN [^-\n]+-{4,5}/

/** Of a line that has no name. The lines of a key that follow are no lines of their own. */
function notAnAssignment(line: string, rest: string): Value {
  if (/^\s*-{4,5} ?(BEGIN|END) /.test(line)) {
    return {
      problem: 'A key or certificate needs a name before its first line: NAME=-----BEGIN …',
      lines: linesOf(pem.exec(rest)?.[0] ?? (pemBegin.test(rest) ? rest : line)),
    }
  }
  if (/^\s*(export\s+)?[A-Za-z_][\w.-]*\s*:(\s|$)/.test(line)) {
    return { problem: 'Write NAME=value; this has a colon, as in YAML.' }
  }
  return { problem: 'NAME=value is expected; a name has letters, digits and underscores.' }
}

/** The value at the beginning of a text. */
function readValue(rest: string, isExported: boolean): Value {
  const [line = ''] = rest.split('\n', 1)
  const quote = line[0]
  if (quote === '"' || quote === "'" || quote === '`') return readQuoted(rest, quote)
  if (pemBegin.test(line)) return readPem(rest, line)
  if (/^[“”„‘’«]/.test(line)) return { problem: 'Use straight quotes (" or \'), not typographic ones.' }
  if (line.trimEnd() === '=') {
    return {
      problem: 'This looks like the end of a key or of other base64 text. Put the whole value in quotes.',
    }
  }
  if (line.startsWith('#') && !/^#(\s|#|$)/.test(line)) {
    return {
      problem: 'Put the value in quotes if it begins with #; or put a blank after the # of a comment.',
    }
  }
  const text = line.replace(/(^|\s)#.*$/, '').trim()
  if (text === '{' || text === '[') return { problem: 'Put a value of several lines in quotes.' }
  if (isExported && /\s[A-Za-z_]\w*=/.test(text)) {
    return { problem: 'Give each variable a line of its own, or put the value in quotes.' }
  }
  if (text.includes('#'))
    return { text, lines: 1, note: 'The # is part of the value, since no blank is before it.' }
  return { text, lines: 1, note: noteOf(text) }
}

const quoted = {
  '"': /^"((?:[^"\\]|\\[^])*)"/,
  "'": /^'([^']*)'/,
  '`': /^`([^`]*)`/,
}
const escapes: Record<string, string> = {
  ...{ n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '\\': '\\' },
  ...{ a: '\x07', b: '\b', f: '\f', v: '\v' },
}

function readQuoted(rest: string, quote: keyof typeof quoted): Value {
  const found = quoted[quote].exec(rest)
  if (!found) return { problem: 'The closing quote is missing.', ...restOfKey(rest) }
  const [whole, inner = ''] = found
  const lines = linesOf(whole)
  const [after = ''] = rest.slice(whole.length).split('\n', 1)
  if (quote === "'" && inner.endsWith('\\') && after.includes("'")) {
    return { problem: "Put a value that contains ' in double quotes: tools read \\' differently.", lines }
  }
  if (!/^\s*(#|$)/.test(after)) {
    return { problem: 'Text follows the closing quote. Put the whole value into one pair of quotes.', lines }
  }
  if (quote !== '"') return { text: inner, lines, note: quote === '`' ? noteOf(inner) : undefined }
  const text = inner.replace(/\\([^])/g, (escape, sign: string) => escapes[sign] ?? escape)
  const note = /\\[^nr]/.test(inner)
    ? 'Escapes such as \\" and \\\\ are resolved; some tools keep them.'
    : noteOf(text)
  return { text, lines, note }
}

function readPem(rest: string, line: string): Value {
  // Line breaks are written as \n: both tools keep them like that.
  if (/-{4,5}END [^-]+-{4,5}/.test(line) || /^\s*-+BEGIN [^-]+-+\\n/.test(line)) {
    const note = line.includes('\\n')
      ? 'Each \\n stays as written. In double quotes it is a line break.'
      : undefined
    return { text: line.trim(), lines: 1, note }
  }
  const whole = pem.exec(rest)?.[0]
  if (whole === undefined) {
    return { problem: 'The END line of this key or certificate is missing.', ...restOfKey(rest) }
  }
  const block = whole.replace(/\n$/, '')
  const text = block
    .split('\n')
    .map((one) => one.trim())
    .join('\n')
  return { text, lines: linesOf(block) }
}

/** Of a key whose end isn't found, nothing that follows is a line of its own. */
const restOfKey = (rest: string): { lines?: number } => (pemBegin.test(rest) ? { lines: linesOf(rest) } : {})

const linesOf = (text: string): number => text.replace(/\n$/, '').split('\n').length

const noteOf = (text: string): string | undefined =>
  /\$(\{|[A-Za-z_(])/.test(text) ? 'Text such as $NAME stays as written; nothing replaces it.' : undefined
