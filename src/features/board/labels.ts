import type { BoardColumn, BoardRow } from '@contract/ipc/calls/caches'
import { type Agent, agentOf } from '@domain/agents/identity'
import { versionFrom } from '@domain/agents/version'
import { relativeTime } from '@/ui/format/time'

/** An agent's name for display. A key that can't be interpreted is shown unchanged. */
export const agentShown = (key: string): Agent => agentOf(key) ?? { title: key, by: 'name', where: key }

/** Why deployments share a row: in short beside its title, and in full. */
export function sameByLabel({ title, by, where }: Agent): { short: string; full: string } {
  if (by === 'own') return { short: 'Separated by hand', full: 'Separated by hand' }
  const what = `Same ${by}`
  const host = where.endsWith(`/${title}`) ? where.slice(0, -title.length - 1) : null
  return { short: host === null ? what : `${what} at ${host}`, full: `${what}: ${where}` }
}

const shortCommit = 7

/** The version of a deployment in short, such as "main · 4f2a91c", and in full. */
export function versionLabel(key: string): { short: string; full: string } {
  const version = versionFrom(key)
  if (version === null) return { short: 'No version', full: 'The service names no version.' }
  const { kind, name, exact } = version
  const shortExact = exact === null ? null : exact.replace(/^sha256:/, '').slice(0, shortCommit)
  const short = [name, kind === 'image' && name !== null ? null : shortExact].filter(Boolean).join(' · ')
  const full = [name, exact].filter(Boolean).join(' · ')
  return { short: short || 'No version', full: full || 'The service names no version.' }
}

/** How a deployment's version differs from the others, in words; null if it doesn't. */
export function rowMark({ versionsDiffer, isMissing }: BoardRow): string | null {
  if (versionsDiffer) return isMissing ? 'Versions differ, not everywhere' : 'Versions differ'
  return isMissing ? 'Not everywhere' : null
}

/** How old a column's cache is at a time (milliseconds). */
export function columnAge(column: BoardColumn | undefined, now: number): string {
  if (!column) return 'Reading…'
  if (column.state === 'failed') return "Couldn't be read"
  const at = column.cache?.synchronisedAt ?? null
  return at === null ? 'Never synced' : `Synced ${relativeTime(at, now)}`
}

/** The text of a cell without a deployment. */
export function emptyCellText(column: BoardColumn | undefined): string {
  if (column === undefined) return 'Loading…'
  if (column.state === 'failed') return "Couldn't be read"
  if (column.state === 'not-synchronised' || column.cache === null) return 'Never synced'
  return column.cache.synchronisedAt === null ? 'Not fully synced' : 'No deployment of this agent'
}
