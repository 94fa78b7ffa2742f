import type { Environment, JournalEntry } from '@contract'
import type { ChangePeriod } from '@contract/ipc/screens'
import type { FailedRevision } from '@contract/life/revisions'
import { deploymentStatuses } from '@contract/deployment-api/statuses'
import { deploymentAttention, type DeploymentReason, overdueSince } from '@domain/attention'
import { statusLook } from '@/ui/format/deployment'
import { type EnvironmentChangesRead, type EnvironmentOverview, useOpeningStore } from './overview'
import type { ChangedDeployment, HistoryEntry, StatusHistory } from '@contract/cache'
import { shownText } from '@contract/core/text'
import { pathLabel } from '@domain/labels/path-label'
import { shortRevisions } from '@domain/labels/revisions'
import { NButton } from 'naive-ui'
import { type FunctionalComponent, h, type VNode } from 'vue'
import { counted } from '@/ui/format/words'
import { deploymentPath } from '@/ui/widgets/deployment'
import EnvironmentMark from '@/ui/widgets/EnvironmentMark.vue'
import RelativeTime from '@/ui/widgets/RelativeTime.vue'
import { UntrustedText } from '@/ui/widgets/elements'

/** How many rows each table draws at first: the screen scrolls as a whole, and the next table shouldn't be far. */
export const firstRows = 10

/** What a row has of its environment. One that was removed has no profile. */
type RowEnvironment = Pick<Environment, 'id' | 'name' | 'profile'> & { storage?: Environment['storage'] }

/** For sorting: sandboxes come last, since sample data must not push the operator's own down. */
export const sandboxesLast = (one: RowEnvironment, other: RowEnvironment): number =>
  Number(one.storage === 'built-in') - Number(other.storage === 'built-in')

/** Why something needs attention. */
interface AttentionReason {
  label: string
  tone: 'danger' | 'warning' | 'neutral'
}

/** Why a deployment needs attention: its status, if that is the reason. */
function deploymentReasonLabel(reason: DeploymentReason, status: string): AttentionReason {
  const { label } = statusLook(status)
  switch (reason) {
    case 'rolling-out':
      return { label: 'Rolling out', tone: 'warning' }
    case 'awaiting':
      return { label, tone: 'warning' }
    case 'unknown-status':
      return { label: status === 'UNKNOWN' ? 'Status unknown' : `Unknown status: ${label}`, tone: 'neutral' }
  }
}

/** Why a deployment needs attention whose latest revision failed. */
const failedReason = ({ status, message }: FailedRevision): AttentionReason => ({
  label: [statusLook(status).label, message].filter(Boolean).join(': '),
  tone: 'danger',
})

/** How a service answered, in words. `since` is the word before the time. */
export const reachLabels: Record<
  EnvironmentOverview['reach']['state'],
  { label: string; since: string; dot: string }
> = {
  reached: { label: 'Reached', since: '', dot: 'is-success is-full' },
  failing: { label: 'Answers errors', since: 'since', dot: 'is-danger is-half' },
  denied: { label: 'Access denied', since: 'since', dot: 'is-danger is-full' },
  unreached: { label: 'Not reached', since: 'since', dot: 'is-danger is-half' },
  unknown: { label: 'Not asked yet', since: '', dot: '' },
}

/** The periods of changes. */
export const periodLabels: Record<ChangePeriod, string> = {
  last: 'Since last time',
  day: '24 hours',
  week: '7 days',
}

/** Something that needs attention. Times are in ISO 8601. */
interface AttentionRow {
  key: string
  environment: RowEnvironment
  reason: AttentionReason
  /** The deployment or creation, and the path that shows more of it; null for a cache. */
  of: { name: string; path: string } | null
  /** Null if that isn't known. */
  since: string | null
  /** When it was last seen in this state; null if it still is. */
  seenAt?: string | null
}

interface Known {
  environments: readonly Environment[]
  overviews: ReadonlyMap<string, EnvironmentOverview>
  entries: readonly JournalEntry[]
  stuckMinutes: number
  /** Milliseconds since 1970. */
  now: number
  /** The latest revision of a deployment, if it is known to have failed. */
  failed: (environmentId: string, deployment: Unsettled) => FailedRevision | null
}

type Unsettled = Cached['unsettled']['deployments'][number]

/**
 * What needs attention in any environment: the latest failures, then what has needed it longest, and caches last. Sample
 * data comes after all of the operator's own.
 */
export function attentionRows({
  environments,
  overviews,
  entries,
  stuckMinutes,
  now,
  failed,
}: Known): AttentionRow[] {
  const cached = environments.flatMap((environment) => {
    const content = overviews.get(environment.id)?.content
    return content?.state === 'cached' ? [{ environment, ...content }] : []
  })
  const failures: AttentionRow[] = []
  const waiting: AttentionRow[] = []
  const caches: AttentionRow[] = []
  for (const { environment, unsettled, cache, intervalMinutes } of cached) {
    for (const deployment of unsettled.deployments) {
      const { id, name, status } = deployment
      const key = `deployment ${environment.id} ${id}`
      const revision = failed(environment.id, deployment)
      const attention = deploymentAttention(deployment, stuckMinutes)
      if (revision) {
        // The log says why.
        const of = { name, path: deploymentPath(id, 'logs') }
        failures.push({ key, environment, reason: failedReason(revision), of, since: revision.at })
      } else if (attention) {
        const reason = deploymentReasonLabel(attention.reason, status)
        waiting.push({ ...attention, key, environment, reason, of: { name, path: deploymentPath(id) } })
      }
    }
    const since = overdueSince(cache.synchronisedAt, intervalMinutes, now)
    const reason = { label: 'Cache older than its interval allows', tone: 'neutral' } as const
    if (since !== null) caches.push({ key: `cache ${environment.id}`, environment, reason, of: null, since })
  }
  for (const entry of entries) {
    if (entry.kind !== 'creation' || entry.state !== 'unconfirmed') continue
    const { id, environmentId, environmentName, name, startedAt: since } = entry
    const gone = { id: environmentId, name: environmentName, profile: null }
    const environment = environments.find((one) => one.id === environmentId) ?? gone
    const reason = { label: 'Unconfirmed creation', tone: 'warning' } as const
    waiting.push({ key: `creation ${id}`, environment, reason, of: { name, path: '/activity' }, since })
  }
  const rows = [...inOrder(failures).reverse(), ...inOrder(waiting), ...inOrder(caches)]
  return rows.sort((one, other) => sandboxesLast(one.environment, other.environment))
}

type Cached = Extract<EnvironmentOverview['content'], { state: 'cached' }>

/** For sorting: an unknown time comes first. */
const inOrder = (rows: AttentionRow[]): AttentionRow[] =>
  rows.sort((one, other) => moment(one.since) - moment(other.since))

const moment = (since: string | null): number => (since === null ? 0 : Date.parse(since) || 0)

/** The changes of one deployment. */
interface ChangeRow extends ChangedDeployment {
  key: string
  environment: Environment
  /** When it changed last (ISO 8601). */
  lastAt: string
}

/**
 * The changes in all environments, by deployment. The one that changed last comes first, and sample data comes after
 * all of the operator's own.
 */
export function changeRows(
  environments: readonly Environment[],
  changes: ReadonlyMap<string, EnvironmentChangesRead>,
): ChangeRow[] {
  const rows = environments.flatMap((environment) => {
    const content = changes.get(environment.id)?.content
    if (content?.state !== 'cached') return []
    return content.changes.deployments.flatMap((deployment): ChangeRow[] => {
      const lastAt = deployment.entries[0]?.seenAt
      const key = `${environment.id} ${deployment.id}`
      return lastAt === undefined ? [] : [{ ...deployment, key, environment, lastAt }]
    })
  })
  return rows.sort(
    (one, other) =>
      sandboxesLast(one.environment, other.environment) || Date.parse(other.lastAt) - Date.parse(one.lastAt),
  )
}

/** An environment in a row of several: its badge and its name. */
export const EnvironmentCell: FunctionalComponent<{ environment: RowEnvironment }> = ({ environment }) =>
  h('span', { class: 'gap-2 inline-flex items-baseline max-w-full' }, [
    h(EnvironmentMark, { environment }),
    h(UntrustedText, { class: 'wrap-anywhere', text: environment.name }),
  ])

const nameLook = 'name line-clamp-2 text-inherit font-600 no-underline wrap-anywhere hover:underline'

/** The name of a row's deployment, as a link. */
function rowName({ name, path }: { name: string; path: string }, environment: RowEnvironment): VNode {
  const onClick = (event: Event): void => {
    event.preventDefault()
    void useOpeningStore().open(environment, path)
  }
  return h(
    'a',
    { class: nameLook, href: `#${path}`, title: shownText(name), onClick },
    h(UntrustedText, { text: name, max: 200 }),
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

/** What needs attention, each row with the reason and since when. */
export const attentionColumns = [
  {
    label: 'What',
    width: '28%',
    render: ({ environment, of }: AttentionRow) =>
      of
        ? rowName(of, environment)
        : h(
            NButton,
            {
              size: 'small',
              'aria-label': shownText(`Open and sync ${environment.name}`),
              onClick: () => void useOpeningStore().openAndSync(environment),
            },
            () => 'Open and sync',
          ),
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
export const changeColumns = [
  {
    label: 'Deployment',
    width: '28%',
    render: ({ id, name, environment }: ChangeRow) =>
      rowName({ name, path: deploymentPath(id) }, environment),
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

/** The label of a status; null stands for all that aren't listed. */
export const lineLabel = (status: string | null): string =>
  status === null ? 'Other statuses' : statusLook(status).label

/** For sorting: the statuses that the interface names come first, in its order. */
export function statusRank(status: string): number {
  const place = (deploymentStatuses as readonly string[]).indexOf(status)
  return place === -1 ? deploymentStatuses.length : place
}

/** The statuses that occur, in order, and null if some aren't listed. */
export function statusesIn(moments: StatusHistory['moments']): readonly (string | null)[] {
  const statuses = [...new Set(moments.flatMap(({ counts }) => counts.map(({ status }) => status)))]
  statuses.sort((one, other) => statusRank(one) - statusRank(other) || (one < other ? -1 : 1))
  return moments.some(({ others }) => others > 0) ? [...statuses, null] : statuses
}

/** Counts from a moment on (milliseconds since 1970), one for each status; null while nobody looked. */
export interface CountsSince {
  at: number
  counts: readonly number[] | null
}

/**
 * The counts of statuses over time, oldest first, with an entry for each moment at which they change.
 *
 * @param from where the time begins, in milliseconds since 1970
 */
export function countsOverTime(
  { moments, observed }: Pick<StatusHistory, 'moments' | 'observed'>,
  statuses: readonly (string | null)[],
  from: number,
): CountsSince[] {
  const known = moments.map(({ at, counts, others }) => ({
    at: Date.parse(at),
    counts: statuses.map((status) =>
      status === null ? others : (counts.find((one) => one.status === status)?.count ?? 0),
    ),
  }))
  const [first] = known
  const last = known.at(-1)
  if (!first || !last) return []
  const all: CountsSince[] = [{ at: from, counts: null }]
  for (const [index, time] of observed.entries()) {
    const start = Math.max(Date.parse(time.from), first.at)
    const end = Math.min(Date.parse(time.to), last.at)
    if (start > end) continue
    const lastBy = (time: number) => known.findLast(({ at }) => at <= time) ?? first
    const inside = known.filter(({ at }) => at > start && at < end)
    if (start < end) all.push({ ...lastBy(start), at: start }, ...inside)
    // What was last known before the next look was seen by the end of this one.
    const next = observed[index + 1]
    const after = known.find(({ at }) => at >= end && !(next && at >= Date.parse(next.from)))
    all.push({ ...(after ?? lastBy(end)), at: end })
    if (end < last.at) all.push({ at: end, counts: null })
  }
  // Drops a gap that has no length.
  const distinct = all.filter(({ at, counts }, index) => counts !== null || all[index + 1]?.at !== at)
  return distinct.filter(({ counts }, index) => String(distinct[index - 1]?.counts) !== String(counts))
}
