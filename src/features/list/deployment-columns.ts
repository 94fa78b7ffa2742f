import type { Annotation } from '@contract'
import { isKnownSource, sourceLabels } from '@contract/core/labels'
import { orUnnamed, shownText } from '@contract/core/text'
import { statusesUnderWay } from '@contract/deployment-api/statuses'
import type { FailedRevision } from '@contract/life/revisions'
import { defineStore } from 'pinia'
import { computed, h, shallowRef, type VNode } from 'vue'
import { useChoicesStore } from '@/app/stores/choices'
import { copyIconButton, type CopyState } from '@/ui/widgets/clipboard'
import { deploymentPath, ownLabel, rolloutChip, statusLabel } from '@/ui/widgets/deployment'
import { arranged } from '@/ui/widgets/arrange'
import { checkPixels, leastWidth, type TableColumn } from '@/ui/table/table'
import { revisionLabel, runningSource } from '@/ui/format/deployment'
import { absoluteTime, shortAge } from '@/ui/format/time'
import type { ColumnChoice } from '@contract/ipc/choices'
import { columnWidths, widthWithin } from '@contract/ipc/screens'
import { type ListedRow } from './deployments'
import '@/ui/widgets/icon-buttons.css'

/** What the cells need besides their deployment. */
export interface Around {
  /** In milliseconds. */
  now: number
  /** The state of the button that copies an identifier. */
  copyState: (id: string) => CopyState
  /** The operator's annotations of a deployment. */
  own: (id: string) => Pick<Annotation, 'favourite' | 'labels'> | null
  /** Whether the exact times are shown as well. */
  isExact: boolean
  /** Whether annotations can be changed. */
  mayKeep: boolean
  /** Whether the table has the column of revisions. */
  hasRevisions: boolean
  /** The latest revision of a deployment, if it is known to have failed. */
  failed: (deployment: ListedRow) => FailedRevision | null
}

/** A column of the list. Every one sorts, by its key. */
interface DeploymentColumn extends Omit<TableColumn<ListedRow>, 'render'> {
  render: (deployment: ListedRow, around: Around) => VNode | string
  /** Whether a narrow table may leave it out: lower numbers go first. The others always stay. */
  givesWay?: number
}

/** The column that names each row. It can't be hidden. */
export const nameColumn = 'name'

/** A service's text in a row. An element instead of a component, because there are many. */
const bdi = (text: string): VNode => h('bdi', shownText(text))
const nothing = (text = '–'): VNode => h('span', { class: 'text-faint' }, text)

const nameLook =
  'name-link overflow-hidden text-ink text-ellipsis font-500 no-underline hover:text-accent-text hover:underline ' +
  'focus-visible:outline-offset-0 focus-visible:rounded-2px'

/** A text and what is said beside it: the text gives way. */
const besideChip =
  'inline-flex items-center gap-2 max-w-full [&>.deployment-status]:min-w-0 [&>.word-chip]:flex-none'

/** The smallest width of the names, in pixels. */
const leastName = 208

/**
 * The CSS width of the names: nearly a quarter of the window, as far as the other columns leave it. Not a percentage,
 * which would shrink to nothing beside them.
 */
const nameWidth = `minmax(${leastName}px, min(23vw - 56px, 480px))`

/**
 * A star that makes a deployment a favourite. Not a component, because many rows have one. Tab skips it, because f does
 * the same from anywhere in the row.
 */
const favouriteButton = ({ id }: ListedRow, title: string, { own, mayKeep }: Around): VNode => {
  const isFavourite = own(id)?.favourite ?? false
  return h('button', {
    // Aligns the star, not the space around it, with the column's title.
    class: 'favourite-icon ml--4px',
    type: 'button',
    tabindex: -1,
    'aria-pressed': isFavourite,
    'aria-keyshortcuts': 'f',
    'aria-label': `Favourite ${title}`,
    title: isFavourite ? 'Remove from favourites (f)' : 'Add to favourites (f)',
    disabled: !mayKeep,
  })
}

/** The columns of the list, in their default order. */
export const deploymentColumns: readonly DeploymentColumn[] = [
  {
    key: nameColumn,
    title: 'Name',
    min: leastName,
    width: nameWidth,
    rowHeader: true,
    render: (deployment, around) => {
      const { id, name, gone_at } = deployment
      const shown = orUnnamed(name)
      const title = shownText(shown)
      return h('span', { class: 'name flex items-center gap-1' }, [
        favouriteButton(deployment, title, around),
        h(
          'a',
          {
            href: `#${deploymentPath(id)}`,
            class: nameLook,
            title,
          },
          [bdi(shown)],
        ),
        gone_at
          ? h('span', { class: 'gone-chip', title: `Deleted, as of ${absoluteTime(gone_at)}` }, 'deleted')
          : null,
        ...(around.own(id)?.labels ?? []).map((label) => ownLabel(label)),
        copyIconButton(`Copy ID of ${title}`, around.copyState(id), { class: 'name-copy' }),
      ])
    },
  },
  {
    key: 'status',
    title: 'Status',
    width: '164px',
    // Without the column of revisions, the status says what is rolling out, unless it is itself one that passes.
    render: (deployment, { hasRevisions, failed }) => {
      const label = statusLabel(deployment.status)
      if (hasRevisions || statusesUnderWay.includes(deployment.status)) return label
      const { rollout, full } = revisionLabel(deployment, failed(deployment))
      const chip = rolloutChip(rollout, full)
      return chip ? h('span', { class: besideChip }, [label, chip]) : label
    },
  },
  {
    key: 'source',
    title: 'Source',
    width: '140px',
    givesWay: 1,
    render: ({ source }) => (isKnownSource(source) ? sourceLabels[source] : bdi(source)),
  },
  {
    key: 'runs',
    title: 'Runs',
    min: 140,
    givesWay: 2,
    render: (deployment) => {
      const runs = runningSource(deployment)
      if (!runs) return nothing()
      return h('span', { title: shownText(runs.full) }, [
        bdi(runs.name),
        runs.ref ? h('span', { class: 'mono text-muted' }, [' ', bdi(runs.ref)]) : null,
      ])
    },
  },
  {
    key: 'revision',
    title: 'Revision',
    width: '168px',
    givesWay: 3,
    render: (deployment, { failed }) => {
      const { short, rollout, full } = revisionLabel(deployment, failed(deployment))
      return h('span', { class: besideChip, title: shownText(full) }, [
        short ? h('span', { class: 'mono' }, [bdi(short)]) : nothing('none yet'),
        rolloutChip(rollout, full),
      ])
    },
  },
  {
    key: 'updated_at',
    title: 'Updated',
    width: '104px',
    descendsFirst: true,
    givesWay: 4,
    render: ({ updated_at }, { isExact, now }) =>
      updated_at
        ? h(
            'time',
            {
              class: 'text-muted',
              datetime: shownText(updated_at),
              title: isExact ? absoluteTime(updated_at) : undefined,
            },
            shortAge(updated_at, now),
          )
        : nothing(),
  },
]

export const columnTitle = (key: string): string | undefined =>
  deploymentColumns.find((column) => column.key === key)?.title

/** The columns as the operator has arranged them, for every environment. */
export const useColumnsStore = defineStore('columns', () => {
  const choices = useChoicesStore()
  const keys = deploymentColumns.map(({ key }) => key)

  /** All columns in the last order. */
  const all = computed<ColumnChoice[]>(() => {
    const stored = choices.columns
    const order = stored.map(({ key }) => key)
    return arranged(keys, order).map((key) => {
      const choice = stored.find((one) => one.key === key) ?? { key, isShown: true, width: null }
      return key === nameColumn ? { ...choice, isShown: true } : choice
    })
  })
  /** The shown ones, with the widths that they were given. */
  const chosen = computed(() =>
    all.value.flatMap(({ key, isShown, width }) => {
      const column = deploymentColumns.find((one) => one.key === key)
      return column && isShown ? { column, width } : []
    }),
  )
  /** The columns that the window has no room for, by their keys. */
  const crowded = shallowRef<readonly string[]>([])

  /**
   * Leaves out columns, one after the other, so that the others fit. The rest stays, even if the table then scrolls.
   *
   * @param room in pixels
   * @param kept the columns that stay, by their keys
   */
  function fit(room: number, kept: readonly (string | undefined)[]): void {
    // A column that the operator made wider doesn't push others out: the table scrolls.
    const least = chosen.value.map(({ column, width }) => {
      const min = leastWidth(column)
      return { column, min: Math.min(min, width ?? min) }
    })
    let needed = least.reduce((sum, { min }) => sum + min, checkPixels)
    const out: string[] = []
    const mayGo = least
      .filter(({ column: { key, givesWay } }) => givesWay && !kept.includes(key))
      .sort((one, other) => one.column.givesWay! - other.column.givesWay!)
    for (const { column, min } of mayGo) {
      if (needed <= room) break
      out.push(column.key)
      needed -= min
    }
    if (out.join() !== crowded.value.join()) crowded.value = out
  }

  const change = (key: string, changed: Partial<ColumnChoice>): void =>
    choices.set({ columns: all.value.map((one) => (one.key === key ? { ...one, ...changed } : one)) })

  /** Sets a width, within its limits; null for the default one. Gives it, in whole pixels. */
  function setWidth(key: string, pixels: number | null): number | null {
    const width = pixels === null ? null : widthWithin(columnWidths, pixels)
    change(key, { width })
    return width
  }

  return { all, chosen, crowded, fit, change, setWidth }
})
