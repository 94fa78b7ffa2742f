import type { Annotation } from './annotations'

/** Whether an annotation is empty, and therefore isn't stored. Free of zod, because the first screen needs it. */
export const isEmptyAnnotation = ({ favourite, labels, note }: Annotation): boolean =>
  !favourite && labels.length === 0 && note === ''
