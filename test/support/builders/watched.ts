import type { NoticeEntry, Watch } from '@contract/cache'
import { watchKinds } from '@contract/cache/choices'
import type { Seen } from '../../../electron/main/features/watches/rules'

/** A deployment that is active with its only revision, as a service answers it. */
export const seen = (id: string, change: Partial<Seen> = {}): Seen => ({
  id,
  name: `name of ${id}`,
  status: 'READY',
  latest: 'r1',
  active: 'r1',
  runs: null,
  isGone: false,
  ...change,
})

/** A watch that reports everything about a deployment or a list. */
const watchOf = (on: Watch['on'], change: Partial<Watch> = {}): Watch => ({
  id: on.kind === 'list' ? `list ${on.name}` : `watch ${on.deploymentId}`,
  environmentId: 'e',
  on,
  tells: [...watchKinds],
  stuckMinutes: 30,
  system: false,
  ...change,
})

/** A watch of a list with every deployment. */
export const watchOfList = (name: string, change: Partial<Watch> = {}): Watch =>
  watchOf({ kind: 'list', name, query: { filters: {}, search: '' } }, change)

/** A watch of one deployment. */
export const watchOfDeployment = (deploymentId: string, change: Partial<Watch> = {}): Watch =>
  watchOf({ kind: 'deployment', deploymentId, name: deploymentId }, change)

/** The entries in short: `id kind after`. */
export const brief = (entries: readonly NoticeEntry[]): string[] =>
  entries.map(({ deploymentId, kind, what, after, minutes }) =>
    [deploymentId, kind, what, after, minutes].filter((part) => part !== null).join(' '),
  )
