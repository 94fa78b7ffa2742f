import { shownText } from '@contract/core/text'

/** A shortened identifier, enough to tell deployments of one name apart. */
export const identifierText = (id: string): string => shownText(id, { max: 40 })
