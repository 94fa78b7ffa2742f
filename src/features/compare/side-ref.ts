/**
 * What a side of a comparison is. A file is one that was opened in this session, by its number. A point is one of the
 * deployment's history, and the deployment is as it was after it; 0 is before the first one.
 */
export type SideRef =
  | { kind: 'deployment' | 'draft'; environmentId: string; id: string }
  | { kind: 'earlier'; environmentId: string; id: string; point: number }
  | { kind: 'file'; id: string }

/** A side as text, as it is in the path of the screen. */
export const sideText = (side: SideRef): string =>
  [
    side.kind,
    ...(side.kind === 'file' ? [side.id] : [side.environmentId, side.id]),
    ...(side.kind === 'earlier' ? [side.point] : []),
  ]
    .map(encodeURIComponent)
    .join('/')

/** The side of a text that `sideText` made; null for anything but a text. */
export function readSideText(text: unknown): SideRef | null {
  if (typeof text !== 'string') return null
  const [kind, first = '', id = '', point] = text.split('/').map(decodeURIComponent)
  if (kind === 'file') return { kind, id: first }
  if (kind === 'earlier') return { kind, environmentId: first, id, point: Number(point) }
  return { kind: kind as 'deployment' | 'draft', environmentId: first, id }
}

/** Where two sides are compared; without one, it is chosen there. */
export const comparisonPath = (left: SideRef | null, right: SideRef | null = null) => ({
  path: '/compare',
  query: { ...(left ? { left: sideText(left) } : {}), ...(right ? { right: sideText(right) } : {}) },
})
