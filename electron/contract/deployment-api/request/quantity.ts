/** The factors of the suffixes of Kubernetes quantities. */
const factors = new Map(
  Object.entries({
    n: 1e-9,
    u: 1e-6,
    m: 1e-3,
    '': 1,
    k: 1e3,
    M: 1e6,
    G: 1e9,
    T: 1e12,
    P: 1e15,
    E: 1e18,
    Ki: 2 ** 10,
    Mi: 2 ** 20,
    Gi: 2 ** 30,
    Ti: 2 ** 40,
    Pi: 2 ** 50,
    Ei: 2 ** 60,
  }),
)

/**
 * The number that a text for a number of the resource spec stands for, as manifests and other tools write it: `500m`
 * cores, `2Gi` or `512MB` of memory; null if it is none, or not whole where the member has to be.
 *
 * @param member a numeric member, such as `cpu` or `queue_memory_mb`; its ending says its unit
 */
export function numberMeant(member: string, text: string): number | null {
  const [, amount = '', suffix = ''] = /^\s*([\d.eE+]+?)\s*([A-Za-z]*)\s*$/.exec(text) ?? []
  const isMemory = member.includes('memory') || member.includes('storage')
  const unit = isMemory
    ? suffix.replace(/^([kmgtp]i?)?b$/i, '$1').replace(/^[mgtp]/, (sign) => sign.toUpperCase())
    : suffix
  const value = quantityOf(amount + unit)
  if (value === null) return null
  const isBinary = unit.endsWith('i')
  const [mega, giga] = isBinary ? [2 ** 20, 2 ** 30] : [1e6, 1e9]
  const number = !isMemory || unit === '' ? value : value / (member.includes('storage') ? giga : mega)
  const rounded = Math.round(number * 1000) / 1000
  return member.includes('cpu') || (Number.isInteger(rounded) && (rounded > 0 || value === 0))
    ? rounded
    : null
}

/** The amount of a Kubernetes quantity such as `200m`, `1.5Gi` or `2`; null if it isn't one. */
export function quantityOf(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  const [, number, suffix] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(value) ?? []
  const factor = factors.get(suffix ?? '')
  return number === undefined || factor === undefined ? null : Number(number) * factor
}
