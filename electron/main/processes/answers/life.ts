// Readers of what a service answers about the life of a deployment.
import { revisionSchema, type RevisionPage } from '@contract/life/revisions'
import type { LogLine, LogPage } from '@contract/life/logs'
import { cutText, maxItems, nextPage, answerLimits } from '@contract/deployment-api/list'
import { utcTime } from '@contract/core/time'
import { formatCount } from '@contract/core/text'
import { z } from 'zod'
import type { Choice } from '@contract/life/choices'
import { hiddenValue, withoutSecretValues } from '@contract/deployment-api/reading/secret-values'
import {
  type Read,
  readAs,
  type ReadDetail,
  unread,
  readHarmless,
  readList,
} from '@contract/deployment-api/reading'
import { exactly } from '@contract/core/exact-json'
import { readFound } from './lookup'

/** Reads a list of integrations or listeners. Unreadable ones are left out. */
export function readChoices(answer: unknown): Read<Choice[]> {
  const { value } = exactly(answer)
  const list: unknown = Array.isArray(value) ? value : (value as { resources?: unknown } | null)?.resources
  if (!Array.isArray(list)) return unread('expected a list')
  const choices = list.slice(0, most).flatMap((item) => {
    const read = listedChoiceSchema.safeParse(item)
    return read.success ? [read.data] : []
  })
  return readAs(choices)
}

/**
 * A deployment that is about to be changed, with what only the main process may know: the values of its secrets, and
 * its resource spec with the values of variables. Neither goes anywhere but back to the service that answered them.
 */
export interface HeldDeployment {
  detail: ReadDetail
  /** Null where the service hides the value. */
  secrets: { name: string; value: string | null }[]
  spec: unknown
}

/** Reads the deployment with an identifier from an answer of List deployments; null if it isn't there. */
export function readHeld(answer: unknown, id: string): Read<HeldDeployment | null> {
  const found = readFound(answer, 1, id)
  if (!found.ok) return found
  const { detail } = found.value
  if (detail === null) return readAs(null)
  const { resources } = answer as { resources: { id?: unknown }[] }
  const item = resources.find((one) => one.id === id) as {
    secrets?: unknown
    source_config?: { resource_spec?: unknown } | null
  }
  const secrets = (Array.isArray(item.secrets) ? (item.secrets as unknown[]) : []).flatMap((secret) => {
    const { name, value } = (secret ?? {}) as { name?: unknown; value?: unknown }
    return typeof name === 'string' ? [{ name, value: isHidden(value) ? null : String(value) }] : []
  })
  return readAs({ detail, secrets, spec: exactly(item.source_config?.resource_spec).value })
}

/** The longest line that is kept whole, in characters, and the most lines of one answer. */
const longestLine = 10_000

const mostLines = 5_000

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

/** Reads an answer of List revisions that was requested with `limit` and `offset`. Unreadable revisions are left out. */
export function readRevisions(
  answer: unknown,
  limit: number,
  offset: number,
): Read<Omit<RevisionPage, 'readAt'>> {
  const harmless = readHarmless(exactly(answer).value)
  if (!harmless.ok) return harmless
  const { value } = harmless
  const page = readList(Array.isArray(value) ? { resources: value } : value, limit)
  if (!page.ok) return page
  const { resources, offset: returnedOffset } = page.value
  const revisions = resources.slice(0, maxItems(limit)).flatMap((item) => {
    const read = revisionSchema.safeParse(item)
    return read.success ? [read.data] : []
  })
  const next = nextPage({ limit, offset, received: resources.length, returnedOffset })
  return readAs({ revisions, nextOffset: next.offset })
}

/** Whether a service, or Slipway, shows something else in place of a value. */
const isHidden = (value: unknown): boolean =>
  typeof value !== 'string' || /^(?:\*+|•+|[<[(]?(?:hidden|redacted|masked)[>\])]?)?$/i.test(value)

type Path = (string | number)[]

/**
 * A value as the operator edited it, with what Slipway hid from them in its texts: the texts at the same place, where items
 * of lists are known by their names.
 *
 * @returns the paths of hidden values that aren't known
 */
export function withHiddenValues(edited: unknown, held: unknown): { value: unknown; missing: Path[] } {
  const missing: Path[] = []
  const fill = (value: unknown, known: unknown, shown: unknown, path: Path): unknown => {
    if (typeof value === 'string' && value.includes(hiddenValue)) {
      if (value !== shown || isHidden(known)) missing.push(path)
      return known
    }
    if (Array.isArray(value)) {
      return value.map((item: unknown, index) =>
        fill(item, counterpart(item, index, known), counterpart(item, index, shown), [...path, index]),
      )
    }
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        fill(member, memberOf(known, name), memberOf(shown, name), [...path, name]),
      ]),
    )
  }
  return { value: fill(edited, held, withoutSecretValues(held), []), missing }
}

const memberOf = (holder: unknown, name: string): unknown =>
  typeof holder === 'object' && holder !== null ? (holder as Record<string, unknown>)[name] : undefined

/** The item of a list that has an item's name; that at its place if it has no name. */
function counterpart(item: unknown, index: number, list: unknown): unknown {
  if (!Array.isArray(list)) return undefined
  const nameOf = (one: unknown): unknown => (one as { name?: unknown } | null)?.name
  const name = nameOf(item)
  return name === undefined ? (list[index] as unknown) : list.find((one) => nameOf(one) === name)
}

/** A route of a service's document: "GET /v2/deployments/{}/revisions". */
export type Route = string

/**
 * The routes of an OpenAPI document that have a good answer, with `{}` for each parameter; null if it isn't such a
 * document.
 */
export function readRoutes(document: unknown): Route[] | null {
  const paths = (document as { paths?: unknown } | null)?.paths
  if (typeof paths !== 'object' || paths === null) return null
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries((methods ?? {}) as object)
      .filter(([, operation]) => hasGoodAnswer(operation))
      .map(([method]) => `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '')}`),
  )
}

/** A route that is there only to say that it isn't offered has no good answer. */
function hasGoodAnswer(operation: unknown): boolean {
  const { responses } = (operation ?? {}) as { responses?: unknown }
  if (typeof responses !== 'object' || responses === null) return true
  const statuses = Object.keys(responses)
  return statuses.length === 0 || statuses.some((status) => /^(?:2|default)/i.test(status))
}

/** How many integrations or listeners are offered, and namespaces of one. */
const most = 500

const text = z.string().transform((long) => cutText(long, answerLimits.summaryTextLength))

/** An integration or a listener that a service lists. A listener has no name, but the identifier of its cluster. */
const listedChoiceSchema = z
  .object({
    id: z.string().min(1).max(answerLimits.identifierLength),
    name: text.optional().catch(undefined),
    compute_id: text.optional().catch(undefined),
    compute_config: z
      .object({ k8s_namespaces: z.array(text).max(most).catch([]) })
      .catch({ k8s_namespaces: [] }),
  })
  .transform(({ id, name, compute_id, compute_config }) => ({
    id,
    name: name ?? compute_id ?? null,
    namespaces: compute_config.k8s_namespaces,
  }))
