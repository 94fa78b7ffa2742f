import type { BoardCell as Cell, BoardDeployment } from '@contract/ipc/calls/caches'
import { shownText } from '@contract/core/text'
import { type FunctionalComponent, h, type VNode } from 'vue'
import { MiddleCut } from '@/ui/widgets/elements'
import { rolloutChip, statusLabel } from '@/ui/widgets/deployment'
import type { FailedRevision } from '@contract/life/revisions'
import { counted } from '@/ui/format/words'
import { revisionLabel } from '@/ui/format/deployment'
import { absoluteTime, shortAge } from '@/ui/format/time'
import { versionLabel } from './grid'

interface Shown {
  /** Null until it is read. */
  cell: Cell | null
  /** The text of a cell without a deployment. */
  empty: string
  now: number
  /** The latest revision of a deployment, if it is known to have failed. */
  failed: (deployment: BoardDeployment) => FailedRevision | null
}

const line = 'flex gap-1 items-baseline lh-base whitespace-nowrap [&>.word-chip]:flex-none'

/** How many deployments a cell has room for. */
const maxShown = 2

/** An agent's deployments in an environment. A functional component, because the board has many cells. */
const BoardCell: FunctionalComponent<Shown> = ({ cell, empty, now, failed }) => {
  if (cell === null || cell.deployments.length === 0)
    return h('span', { class: 'text-muted text-small italic' }, empty)
  const [only, ...others] = cell.deployments
  const count = cell.deployments.length + cell.more
  if (only && others.length === 0 && cell.more === 0) return whole(only, now, failed(only))
  const left = count - maxShown
  return h('span', { class: 'board-several' }, [
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

BoardCell.props = { cell: null, empty: String, now: Number, failed: null }

export default BoardCell

function whole(deployment: BoardDeployment, now: number, failed: FailedRevision | null): VNode {
  const { name, status, since, byHand } = deployment
  return h('span', { class: 'board-one' }, [
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
