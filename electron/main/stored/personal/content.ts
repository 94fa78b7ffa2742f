import { type PersonalContent } from '@contract/ipc/stored-content'

/** The content without an environment's data. */
export function without(content: PersonalContent, environmentId: string): PersonalContent {
  const isOther = (one: { environmentId: string | null }): boolean => one.environmentId !== environmentId
  return {
    ...content,
    services: content.services.filter(isOther),
    views: content.views.filter(isOther),
    agents: content.agents.filter(isOther),
    lastFilters: content.lastFilters.filter(isOther),
    offers: content.offers.filter(isOther),
    recent: content.recent.filter((choice) => environmentOf(choice) !== environmentId),
  }
}

/** The environments with data. */
export const environmentsOf = ({
  services,
  views,
  agents,
  lastFilters,
  offers,
  recent,
}: PersonalContent): string[] => [
  ...new Set([
    ...[...services, ...views, ...agents, ...lastFilters, ...offers].flatMap(
      ({ environmentId }) => environmentId ?? [],
    ),
    ...recent.flatMap((choice) => environmentOf(choice) ?? []),
  ]),
]

/** The environment that a choice in the command palette is, or belongs to. */
const environmentOf = ({ kind, id, of }: PersonalContent['recent'][number]): string | null =>
  kind === 'environment' ? id : (of?.environmentId ?? null)
