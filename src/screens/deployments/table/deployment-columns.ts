import type { Annotation } from '@contract'
import { orUnnamed, shownText } from '@contract/core/text'
import type { FailedRevision } from '@contract/life/revisions'
import { statusesUnderWay } from '@contract/deployment-api/statuses'
import { isKnownSource, sourceLabels } from '@contract/core/labels'
import { h, type VNode } from 'vue'
import { copyIconButton, type CopyState } from '@/components/display/copy-icon-button'
import { deploymentPath } from '@/components/display/deployment-path'
import { ownLabel } from '@/components/display/own-label'
import { rolloutChip } from '@/components/display/rollout-chip'
import { statusLabel } from '@/components/display/StatusLabel'
import type { TableColumn } from '@/components/table/table-columns'
import { revisionLabel } from '@/format/deployment/revision'
import { runningSource } from '@/format/deployment/running-source'
import { absoluteTime, shortAge } from '@/format/time'
import type { ListedRow } from '@/stores/deployment-detail/neighbours'
import '@/components/display/icon-buttons.css'

/**
 * A star that makes a deployment a favourite. Not a component, because many rows have one. Tab skips it, because f does
 * the same from anywhere in the row.
 */
function favouriteIconButton(label: string, isFavourite: boolean, more: Record<string, unknown>): VNode {
  return h('button', {
    class: 'favourite-icon',
    type: 'button',
    tabindex: -1,
    'aria-pressed': isFavourite,
    'aria-keyshortcuts': 'f',
    'aria-label': label,
    title: isFavourite ? 'Remove from favourites (f)' : 'Add to favourites (f)',
    ...more,
  })
}

/** What the cells need besides their deployment. */
interface Around {
  /** In milliseconds. */
  now: () => number
  /** The state of the button that copies an identifier. */
  copyState: (id: string) => CopyState
  /** The operator's annotations of a deployment. */
  own: (id: string) => Pick<Annotation, 'favourite' | 'labels'> | null
  /** Whether the exact times are shown as well. */
  isExact: () => boolean
  /** Whether annotations can be changed. */
  mayKeep: () => boolean
  /** Whether the table has the column of revisions. */
  hasRevisions: () => boolean
  /** The latest revision of a deployment, if it is known to have failed. */
  failed: (deployment: ListedRow) => FailedRevision | null
}

/** A service's text in a row. An element instead of a component, because there are many. */
const bdi = (text: string): VNode => h('bdi', shownText(text))

/** A text and what is said beside it: the text gives way. */
const besideChip =
  'inline-flex items-center gap-2 max-w-full [&>.deployment-status]:min-w-0 [&>.word-chip]:flex-none'

/** The column that names each row. It can't be hidden. */
export const nameColumn = 'name'

/** The titles of the columns, in their default order. */
export const columnTitles: Readonly<Record<string, string>> = {
  name: 'Name',
  status: 'Status',
  source: 'Source',
  runs: 'Runs',
  revision: 'Revision',
  updated_at: 'Updated',
}

export const columnKeys: readonly string[] = Object.keys(columnTitles)

/** The columns that a narrow table leaves out, the first one first. The name and the status always stay. */
export const givesWay: readonly string[] = ['source', 'runs', 'revision', 'updated_at']

/** The smallest width of the names, in pixels. */
const leastName = 208

/**
 * The CSS width of the names: nearly a quarter of the window, but not as a percentage, which would shrink to nothing
 * beside the other columns.
 *
 * @param room the most that the other columns leave, in pixels; null if it isn't known
 */
export const nameWidth = (room: number | null): string => {
  const share = '23vw - 56px'
  return `clamp(${leastName}px, ${room === null ? share : `min(${share}, ${room}px)`}, 480px)`
}

/** The columns of the table of deployments, in their default order. */
export const deploymentColumns = ({
  now,
  copyState,
  own,
  isExact,
  mayKeep,
  hasRevisions,
  failed,
}: Around): TableColumn<ListedRow>[] => [
  {
    key: nameColumn,
    title: columnTitles.name!,
    min: leastName,
    width: nameWidth(null),
    rowHeader: true,
    render: ({ id, name, gone_at }) => {
      const shown = orUnnamed(name)
      const path = deploymentPath(id)
      const title = shownText(shown)
      const annotation = own(id)
      return h('span', { class: 'name flex items-center gap-1' }, [
        favouriteIconButton(`Favourite ${title}`, annotation?.favourite ?? false, {
          disabled: !mayKeep(),
          'data-id': id,
          'data-name': name,
        }),
        path === null
          ? h('span', { class: 'name-text overflow-hidden text-ellipsis font-500', title }, [bdi(shown)])
          : h(
              'a',
              {
                href: `#${path}`,
                class: 'name-text name-link overflow-hidden text-ellipsis font-500',
                title,
              },
              [bdi(shown)],
            ),
        gone_at
          ? h('span', { class: 'gone-chip', title: `Deleted, as of ${absoluteTime(gone_at)}` }, 'deleted')
          : null,
        ...(annotation?.labels ?? []).map((label) => ownLabel(label)),
        copyIconButton(`Copy ID of ${title}`, copyState(id), {
          class: 'name-copy',
          'data-id': id,
        }),
      ])
    },
  },
  {
    key: 'status',
    title: columnTitles.status!,
    width: '164px',
    // Without the column of revisions, the status says what is rolling out, unless it is itself one that passes.
    render: (deployment) => {
      const label = statusLabel(deployment.status)
      if (hasRevisions() || statusesUnderWay.includes(deployment.status)) return label
      const { rollout, full } = revisionLabel(deployment, failed(deployment))
      const chip = rolloutChip(rollout, full)
      return chip ? h('span', { class: besideChip }, [label, chip]) : label
    },
  },
  {
    key: 'source',
    title: columnTitles.source!,
    width: '140px',
    render: ({ source }) => (isKnownSource(source) ? sourceLabels[source] : bdi(source)),
  },
  {
    key: 'runs',
    min: 140,
    title: columnTitles.runs!,
    render: (deployment) => {
      const runs = runningSource(deployment)
      if (!runs) return h('span', { class: 'text-faint' }, '–')
      return h('span', { title: shownText(runs.full) }, [
        bdi(runs.name),
        runs.ref ? h('span', { class: 'mono text-muted' }, [' ', bdi(runs.ref)]) : null,
      ])
    },
  },
  {
    key: 'revision',
    title: columnTitles.revision!,
    width: '168px',
    render: (deployment) => {
      const { short, rollout, full } = revisionLabel(deployment, failed(deployment))
      return h('span', { class: besideChip, title: shownText(full) }, [
        short ? h('span', { class: 'mono' }, [bdi(short)]) : h('span', { class: 'text-faint' }, 'none yet'),
        rolloutChip(rollout, full),
      ])
    },
  },
  {
    key: 'updated_at',
    title: columnTitles.updated_at!,
    firstOrder: 'descending',
    width: '104px',
    render: ({ updated_at }) =>
      updated_at
        ? h(
            'time',
            {
              class: 'text-muted',
              datetime: shownText(updated_at),
              title: isExact() ? absoluteTime(updated_at) : undefined,
            },
            shortAge(updated_at, now()),
          )
        : h('span', { class: 'text-faint' }, '–'),
  },
]
