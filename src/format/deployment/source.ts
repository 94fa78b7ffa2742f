import { isKnownSource, sourceLabels } from '@contract/core/labels'

/** The label of a source; an unknown one is shown as the service names it. */
export const sourceLabel = (source: string): string => (isKnownSource(source) ? sourceLabels[source] : source)
