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
  side.kind === 'file'
    ? `file/${side.id}`
    : [side.kind, side.environmentId, side.id, ...(side.kind === 'earlier' ? [side.point] : [])]
        .map(encodeURIComponent)
        .join('/')

/** The side that a text names; null if it names none. */
export function readSideText(text: unknown): SideRef | null {
  if (typeof text !== 'string') return null
  const [kind, ...parts] = text.split('/')
  const [first = '', second = '', third = ''] = parts.map(decoded)
  if (kind === 'file' && parts.length === 1 && isNumber(first)) return { kind, id: first }
  if (kind === 'earlier' && parts.length === 3 && first !== '' && second !== '' && isNumber(third)) {
    return { kind, environmentId: first, id: second, point: Number(third) }
  }
  const isNamed = parts.length === 2 && first !== '' && second !== ''
  return (kind === 'deployment' || kind === 'draft') && isNamed
    ? { kind, environmentId: first, id: second }
    : null
}

/** Whether a text is the number of a file or of a point. */
const isNumber = (text: string): boolean => /^(?:0|[1-9]\d{0,8})$/.test(text)

/** A part of a text; empty where it isn't encoded properly. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

/** Where two sides are compared; without one, it is chosen there. */
export const comparisonPath = (left: SideRef | null, right: SideRef | null = null) => ({
  path: '/compare',
  query: { ...(left ? { left: sideText(left) } : {}), ...(right ? { right: sideText(right) } : {}) },
})
