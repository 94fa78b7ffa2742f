import type { Environment } from '@contract'
import type { HistoryEntry } from '@contract/cache'
import { shownText } from '@contract/core/text'
import { pathLabel } from '@domain/labels/path-label'
import { shortRevisions } from '@domain/labels/revisions'
import { NButton } from 'naive-ui'
import { type FunctionalComponent, h, type VNode } from 'vue'
import { statusLook } from '@/ui/format/deployment'
import { counted } from '@/ui/format/words'
import { deploymentPath } from '@/ui/widgets/deployment'
import EnvironmentMark from '@/ui/widgets/EnvironmentMark.vue'
import RelativeTime from '@/ui/widgets/RelativeTime.vue'
import { UntrustedText } from '@/ui/widgets/texts'
import type { AttentionRow, ChangeRow } from './rows'

/** An environment in a row of several: its badge and its name. */
export const EnvironmentCell: FunctionalComponent<{ environment: Pick<Environment, 'name' | 'profile'> }> = ({
  environment,
}) =>
  h('span', { class: 'gap-2 inline-flex items-baseline max-w-full' }, [
    h(EnvironmentMark, { environment }),
    h(UntrustedText, { class: 'wrap-anywhere', text: environment.name }),
  ])

EnvironmentCell.props = ['environment']

const nameLook = 'name line-clamp-2 text-inherit font-600 no-underline wrap-anywhere'

/** The name of a row's deployment, as a link if it can be opened: `path` is null if nothing can. */
function rowName(name: string, path: string | null, open: (path: string) => void): VNode {
  const text = { text: name, max: 200 }
  const title = shownText(name)
  if (path === null) return h(UntrustedText, { class: nameLook, title, ...text })
  const onClick = (event: Event): void => {
    event.preventDefault()
    open(path)
  }
  return h(
    'a',
    { class: `${nameLook} hover:underline`, href: `#${path}`, title, onClick },
    h(UntrustedText, text),
  )
}

const environmentColumn = {
  label: 'Environment',
  width: '23%',
  render: ({ environment }: Pick<AttentionRow, 'environment'>) => h(EnvironmentCell, { environment }),
}

const time = (iso: string | null): VNode => h(RelativeTime, { iso, short: true })

const tones = {
  danger: 'bg-danger-soft text-danger-text',
  warning: 'bg-warning-soft text-warning-text',
  neutral: 'bg-pressed',
}

/** The path that a row opens; null if nothing can be opened. */
function pathOf({ name, deploymentId, isFailed }: AttentionRow): string | null {
  // Its log says why.
  if (deploymentId !== null) return deploymentPath(deploymentId, isFailed ? 'logs' : null)
  return name === null ? null : '/activity'
}

/** What needs attention, each row with the reason and since when. */
export const attentionColumns = (
  open: (row: AttentionRow, path: string) => void,
  sync: (row: AttentionRow) => void,
) => [
  {
    label: 'What',
    width: '28%',
    render: (row: AttentionRow) =>
      row.name === null
        ? h(
            NButton,
            {
              size: 'small',
              'aria-label': shownText(`Open and sync ${row.environment.name}`),
              onClick: () => sync(row),
            },
            () => 'Open and sync',
          )
        : rowName(row.name, pathOf(row), (path) => open(row, path)),
  },
  environmentColumn,
  {
    label: 'Reason',
    render: ({ reason: { label, tone } }: AttentionRow) =>
      h(
        'span',
        {
          class: `word-chip overflow-hidden inline-block max-w-full text-ellipsis v-middle ${tones[tone]}`,
          title: shownText(label),
        },
        h(UntrustedText, { text: label }),
      ),
  },
  { label: 'Since', width: '84px', render: ({ since }: AttentionRow) => time(since) },
  { label: 'Last seen', width: '108px', render: ({ seenAt }: AttentionRow) => seenAt && time(seenAt) },
]

type Change = Pick<HistoryEntry, 'kind' | 'member' | 'before' | 'after'>

/** Cut, so that both statuses fit. */
const status = (text: string | null): string =>
  text === null ? 'none' : shownText(statusLook(text).label, { max: 60 })

function revisions(before: string | null, after: string | null): string {
  const [from, to] = shortRevisions(before, after)
  return `${from ?? 'none'} → ${to ?? 'none'}`
}

/** What changed, in words. It has the service's texts as they came, so show it as untrusted text. */
function describeChange({ kind, member, before, after }: Change): string {
  switch (kind) {
    case 'appeared':
      return `New, ${status(after)}`
    case 'gone':
      return `Gone, was ${status(before)}`
    case 'back':
      return `Back, ${status(after)}`
    case 'status':
      return `${status(before)} → ${status(after)}`
    case 'latest-revision':
      return `Latest revision ${revisions(before, after)}`
    case 'active-revision':
      return `Active revision ${revisions(before, after)}`
    case 'secret-names':
      return 'Names of secrets changed'
    case 'configuration':
      return member === null ? 'More of the configuration changed' : `${pathLabel(member)} changed`
  }
}

/** How many changes of a deployment are listed. Its page has all of them. */
const maxEach = 4

/** The changes by deployment. */
export const changeColumns = (open: (row: ChangeRow, path: string) => void) => [
  {
    label: 'Deployment',
    width: '28%',
    render: (row: ChangeRow) => rowName(row.name, deploymentPath(row.id), (path) => open(row, path)),
  },
  environmentColumn,
  {
    label: 'Changes',
    render: ({ entries, total }: ChangeRow) =>
      h('ul', { class: 'list-none' }, [
        ...entries
          .slice(0, maxEach)
          .map((entry) => h('li', h(UntrustedText, { text: describeChange(entry), max: 200 }))),
        total > maxEach && h('li', { class: 'text-faint' }, counted(total - maxEach, 'earlier change')),
      ]),
  },
  { label: 'Last seen change', width: '160px', render: ({ lastAt }: ChangeRow) => time(lastAt) },
]
