import type { BoardColumn, BoardRow, BoardCell as Cell, BoardDeployment } from '@contract/ipc/calls/caches'
import { type FunctionalComponent, h, type VNode } from 'vue'
import { agentOf } from '@domain/agents/identity'
import { versionFrom } from '@domain/agents/version'
import { relativeTime, absoluteTime, shortAge } from '@/ui/format/time'
import { shownText } from '@contract/core/text'
import { MiddleCut } from '@/ui/widgets/elements'
import { rolloutChip, statusLabel } from '@/ui/widgets/deployment'
import type { FailedRevision } from '@contract/life/revisions'
import { counted } from '@/ui/format/words'
import { revisionLabel } from '@/ui/format/deployment'

/**
 * An agent's name for display, and why deployments share its row: in short beside it, and in full. A key that can't be
 * interpreted is shown unchanged.
 */
export function agentLabel(key: string): { title: string; short: string; full: string } {
  const { title, by, where } = agentOf(key) ?? { title: key, by: 'name', where: key }
  const name = title || 'unnamed'
  if (by === 'own') return { title: name, short: 'Separated by hand', full: 'Separated by hand' }
  const what = `Same ${by}`
  const host = where.endsWith(`/${title}`) ? where.slice(0, -title.length - 1) : null
  return { title: name, short: host === null ? what : `${what} at ${host}`, full: `${what}: ${where}` }
}

const shortCommit = 7

/** The version of a deployment in short, such as "main · 4f2a91c", and in full. */
function versionLabel(key: string): { short: string; full: string } {
  const { kind, name = null, exact = null } = versionFrom(key) ?? {}
  const shortExact = exact?.replace(/^sha256:/, '').slice(0, shortCommit)
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

/** The text of a cell without a deployment; of one that isn't read, for null. */
function emptyCellText(cell: Cell | null, column: BoardColumn | undefined): string {
  if (column?.state === 'failed') return "Couldn't be read"
  if (column?.state === 'not-synchronised') return 'Never synced'
  if (!cell) return 'Loading…'
  return column?.cache?.synchronisedAt ? 'No deployment of this agent' : 'Not fully synced'
}

interface Shown {
  /** Null until it is read. */
  cell: Cell | null
  column: BoardColumn | undefined
  now: number
  /** The latest revision of a deployment, if it is known to have failed. */
  failed: (deployment: BoardDeployment) => FailedRevision | null
}

const line = 'flex gap-1 items-baseline lh-base whitespace-nowrap [&>.word-chip]:flex-none'

/** How many deployments a cell has room for. */
const maxShown = 2

/** An agent's deployments in an environment. A functional component, because the board has many cells. */
export const BoardCell: FunctionalComponent<Shown> = ({ cell, column, now, failed }) => {
  if (cell === null || cell.deployments.length === 0)
    return h('span', { class: 'text-muted text-small italic' }, emptyCellText(cell, column))
  const [only, ...others] = cell.deployments
  const count = cell.deployments.length + cell.more
  if (only && others.length === 0 && cell.more === 0) return whole(only, now, failed(only))
  const left = count - maxShown
  return h('span', [
    ...cell.deployments
      .slice(0, maxShown)
      .map((deployment) =>
        h('span', { class: line, key: deployment.id }, [
          version(deployment),
          ' ',
          h(MiddleCut, { class: 'text-muted text-small', text: deployment.name }),
          ' ',
          chipOf(deployment, failed(deployment)),
        ]),
      ),
    h('span', { class: `${line} text-muted text-small` }, [
      left > 0 ? `${counted(count, 'deployment')}, ${counted(left, 'other')}` : counted(count, 'deployment'),
    ]),
  ])
}

function whole(deployment: BoardDeployment, now: number, failed: FailedRevision | null): VNode {
  const { name, status, since, byHand } = deployment
  return h('span', [
    h('span', { class: line }, [version(deployment), ' ', chipOf(deployment, failed)]),
    h('span', { class: line }, [
      statusLabel(status),
      ' ',
      byHand ? h('span', { class: 'flex-none text-muted text-small' }, 'by hand') : null,
    ]),
    h('span', { class: `${line} text-muted text-small` }, [
      since === null
        ? null
        : h('span', { class: 'flex-none' }, [
            h(
              'time',
              { title: `With this version and status since ${absoluteTime(since)}` },
              shortAge(since, now),
            ),
            ' ·',
          ]),
      ' ',
      h(MiddleCut, { text: name }),
    ]),
  ])
}

function version({ version: key }: BoardDeployment): VNode {
  const { short, full } = versionLabel(key)
  return h(
    'bdi',
    { class: 'min-w-0 overflow-hidden font-600 text-ellipsis', title: shownText(full) },
    shownText(short),
  )
}

function chipOf(deployment: BoardDeployment, failed: FailedRevision | null): VNode | null {
  return rolloutChip(revisionLabel(deployment, failed).rollout, failed?.message ?? '')
}
