/**
 * The minimum of up to five measurements; stops at the first within the bound. Every measurement includes what the
 * application itself costs, but not always what other programs do.
 */
export async function least(bound: number, measure: () => Promise<number>): Promise<number> {
  let found = Infinity
  for (let tries = 0; tries < 5 && found > bound; tries += 1) found = Math.min(found, await measure())
  return found
}

/** The processor time of the work below on the machine that bounds were chosen on, in milliseconds. */
const usualMs = 20

/**
 * How many times longer the same work takes here than on the machine that bounds were chosen on; at least 1. For bounds
 * of processor time, on slower machines and beside other programs.
 */
export function slowness(): number {
  const objects = Array.from({ length: 20_000 }, (_, n) => ({
    name: `deployment-${(n * 7_919) % 20_011}`,
    n,
  }))
  const times = Array.from({ length: 7 }, () => {
    const since = process.cpuUsage()
    const copies = JSON.parse(JSON.stringify(objects)) as typeof objects
    copies.sort((one, other) => (one.name < other.name ? -1 : 1))
    const { user, system } = process.cpuUsage(since)
    return (user + system) / 1_000
  })
  return Math.max(1, Math.min(...times) / usualMs)
}
