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

/** The amount of a Kubernetes quantity such as `200m`, `1.5Gi` or `2`; null if it isn't one. */
export function quantityOf(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  const [, number, suffix] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(value) ?? []
  const factor = factors.get(suffix ?? '')
  return number === undefined || factor === undefined ? null : Number(number) * factor
}
