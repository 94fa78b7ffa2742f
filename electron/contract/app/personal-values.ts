import { noFilters, privateFilters } from '../cache/filters'
import type { Annotation, LastFilters } from './personal'

/**
 * The part of `Environment.service` that annotations, last filters and chosen deployments belong to: base URL and
 * tenant. It stays the same while the headers, the proxy or the certificate rule are edited.
 */
export const annotatedService = (service: string): string => service.split('.', 1)[0]!

/** Whether an annotation is empty, and therefore isn't stored. Free of zod, because the first screen needs it. */
export const isEmptyAnnotation = ({ favourite, labels, note }: Annotation): boolean =>
  !favourite && labels.length === 0 && note === ''

/** A list without filters of these. */
export const noLastFilters: LastFilters = { ...privateFilters(noFilters()), searchesCache: false }
