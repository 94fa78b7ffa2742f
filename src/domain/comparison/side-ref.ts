/** What a side of a comparison is. A file is one that was opened in this session, by its number. */
export type SideRef =
  { kind: 'deployment' | 'draft'; environmentId: string; id: string } | { kind: 'file'; id: string }

/** A side as text, as it is in the path of the screen. */
export const sideText = (side: SideRef): string =>
  side.kind === 'file'
    ? `file/${side.id}`
    : [side.kind, side.environmentId, side.id].map(encodeURIComponent).join('/')

/** The side that a text names; null if it names none. */
export function readSideText(text: unknown): SideRef | null {
  if (typeof text !== 'string') return null
  const [kind, ...parts] = text.split('/')
  const [first = '', second = ''] = parts.map(decoded)
  if (kind === 'file' && parts.length === 1 && /^\d{1,9}$/.test(first)) return { kind, id: first }
  const isNamed = parts.length === 2 && first !== '' && second !== ''
  return (kind === 'deployment' || kind === 'draft') && isNamed
    ? { kind, environmentId: first, id: second }
    : null
}

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
