import type { Annotation } from './annotations'

/** Whether an annotation says nothing, and so isn't kept. Free of zod, since the first screen needs it. */
export const isEmptyAnnotation = ({ favourite, labels, note }: Annotation): boolean =>
  !favourite && labels.length === 0 && note === ''
