/** The median; 0 for no values. */
export const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0

/** The value that 95 of 100 values are below. */
export const percentile95 = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length * 0.95)] ?? 0

/** How long something takes, in milliseconds. */
export function timed(work: () => void): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

/**
 * The medians of a floor and of what is compared with it. They are measured alternately, so that other load on the
 * machine affects both.
 */
export async function alternately(
  turns: number,
  floor: () => number | Promise<number>,
  work: () => number | Promise<number>,
): Promise<{ floor: number; measured: number }> {
  const floors: number[] = []
  const measured: number[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    floors.push(await floor())
    measured.push(await work())
  }
  return { floor: median(floors), measured: median(measured) }
}
