import { shownText } from '@contract/core/untrusted-text'

/** A shortened identifier, where it only has to tell deployments of one name apart. */
export const identifierText = (id: string): string => shownText(id, { max: 40 })
