import { shownText } from '@contract/core/untrusted-text'

/** An identifier where it only tells a deployment from others of the same name. */
export const identifierText = (id: string): string => shownText(id, { most: 40 })
