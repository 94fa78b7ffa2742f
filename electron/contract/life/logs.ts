import { z } from 'zod'
import { exactly } from '../core/exact-json'
import { formatCount } from '../core/text'
import { utcTime } from '../core/time'
import { cutText } from '../deployment-api/list'
import { type Read, readAs, unread } from '../deployment-api/reading'

/** What wrote a log: the build of a revision, or its servers. */
export const logTypeSchema = z.enum(['build', 'deploy'])

export type LogType = z.infer<typeof logTypeSchema>

/** The longest line that is kept whole, in characters, and the most lines of one answer. */
const longestLine = 10_000
const mostLines = 5_000

export interface LogLine {
  /** Identifies the line among those of its log. */
  key: string
  /** ISO 8601 in UTC; null if the service says none. */
  at: string | null
  /** In capitals; null if the service says none. */
  level: string | null
  message: string
}

/** A part of a log, oldest line first, and where the service goes on; null at its end. */
export interface LogPage {
  lines: LogLine[]
  next: string | null
}

/** The members of an answer that have the lines, and where to go on. */
const lists = ['logs', 'items', 'entries', 'lines', 'resources']
const nexts = ['next_offset', 'next_cursor', 'cursor', 'offset']

/** Reads an answer about a log in any of the forms that services have, requested newest first. */
export function readLog(parsed: unknown): Read<LogPage> {
  const answer: unknown = exactly(parsed).value
  const members = (answer ?? {}) as Record<string, unknown>
  const list = Array.isArray(answer) ? answer : lists.map((name) => members[name]).find(Array.isArray)
  if (!list) {
    const isEmpty = lists.some((name) => name in members && members[name] === null)
    return isEmpty ? readAs({ lines: [], next: null }) : unread('expected a log')
  }
  const lines = (list as unknown[]).slice(0, mostLines).map(lineOf).reverse()
  const leftOut = list.length - lines.length
  if (leftOut > 0)
    lines.unshift(line(null, null, null, `(${formatCount(leftOut)} older lines are left out here.)`))
  const next = Array.isArray(answer)
    ? undefined
    : nexts.map((name) => members[name]).find((one) => one != null)
  const isText = typeof next === 'string' || typeof next === 'number'
  return readAs({ lines, next: isText && lines.length > 0 ? String(next) : null })
}

function lineOf(entry: unknown): LogLine {
  if (typeof entry === 'string') return line(null, null, null, entry)
  const { id, timestamp, time, level, severity, message, text, msg } = (entry ?? {}) as Record<
    string,
    unknown
  >
  const said = [message, text, msg].find((one) => typeof one === 'string') ?? JSON.stringify(entry)
  return line(id, timestamp ?? time, level ?? severity, String(said))
}

function line(id: unknown, time: unknown, level: unknown, message: string): LogLine {
  const at = typeof time === 'string' || typeof time === 'number' ? utcTime(time) : null
  const plain = cutText(withoutEscapes(message), longestLine)
  const isId = typeof id === 'string' || typeof id === 'number'
  return {
    key: isId ? String(id).slice(0, 200) : `${at ?? ''} ${plain.slice(0, 200)}`,
    at,
    level: typeof level === 'string' && level !== '' ? level.slice(0, 20).toUpperCase() : null,
    message: plain,
  }
}

/** Colours and movements of a terminal (ECMA-48), and what a progress bar wrote over. */
const withoutEscapes = (message: string): string =>
  message
    // eslint-disable-next-line no-control-regex -- these are what it removes
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g, '')
    .replace(/^.*\r(?!\n|$)/gm, '')
    .trimEnd()
