import { comparisonLimits } from '@contract/app/personal/ignored-in-comparisons'
import { agentLimits } from '@contract/cache'
import { lastFilterLimits } from '@contract/app/personal/last-filters'
import { recentLimits } from '@contract/app/personal/recent-choices'
import { newerPersonalFileSchema, type PersonalFile, personalFileSchema } from '@contract/ipc/personal-file'

export const noContent: PersonalFile = {
  version: 1,
  services: [],
  views: [],
  agents: [],
  pinnedAgents: [],
  takenIn: [],
  lastFilters: [],
  recent: [],
  ignoredFields: [],
}

/** Reads the text of a file; `newer` if a later version wrote it. */
export function readContent(text: string): PersonalFile | 'newer' | 'unreadable' {
  try {
    const value: unknown = JSON.parse(text)
    return newerPersonalFileSchema.safeParse(value).success ? 'newer' : personalFileSchema.parse(value)
  } catch {
    return 'unreadable'
  }
}

/** Merges two contents. The first one takes precedence. */
export const merged = (first: PersonalFile, second: PersonalFile): PersonalFile => ({
  ...first,
  services: [...first.services, ...second.services],
  views: [...first.views, ...second.views.filter(({ id }) => !first.views.some((one) => one.id === id))],
  agents: [...first.agents, ...second.agents],
  pinnedAgents: [...new Set([...first.pinnedAgents, ...second.pinnedAgents])].slice(0, agentLimits.only),
  lastFilters: [...first.lastFilters, ...second.lastFilters].slice(0, lastFilterLimits.services),
  recent: [...first.recent, ...second.recent].slice(0, recentLimits.count),
  ignoredFields: [
    ...first.ignoredFields,
    ...second.ignoredFields.filter(({ key }) => !first.ignoredFields.some((one) => one.key === key)),
  ].slice(0, comparisonLimits.ignored),
})

/** The content without an environment's data. */
export function without(content: PersonalFile, environmentId: string): PersonalFile {
  const isOther = (one: { environmentId: string | null }): boolean => one.environmentId !== environmentId
  return {
    ...content,
    services: content.services.filter(isOther),
    views: content.views.filter(isOther),
    agents: content.agents.filter(isOther),
    lastFilters: content.lastFilters.filter(isOther),
    recent: content.recent.filter((choice) => environmentOf(choice) !== environmentId),
  }
}

/** The environments with data. */
export const environmentsOf = ({ services, views, agents, lastFilters, recent }: PersonalFile): string[] => [
  ...new Set([
    ...[...services, ...views, ...agents, ...lastFilters].flatMap(({ environmentId }) => environmentId ?? []),
    ...recent.flatMap((choice) => environmentOf(choice) ?? []),
  ]),
]

/** The environment that a choice in the command palette is, or belongs to. */
const environmentOf = ({ kind, id, of }: PersonalFile['recent'][number]): string | null =>
  kind === 'environment' ? id : (of?.environmentId ?? null)
