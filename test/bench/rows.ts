/** A row of the table: a figure and its goal. */
export interface Row {
  what: string
  /** What it is compared with. */
  floor: string
  /** The goal as text, such as "<= 6x". */
  goal: string
  /** The figure as text, such as "2.80x". */
  measured: string
  /** Whether the goal is reached; null if it couldn't be measured. */
  reached: boolean | null
  /** The figures behind it. Their names contain the unit. */
  figures: Record<string, number>
}

interface Compared {
  what: string
  floor: string
  /** The goal: at most this, or at least this with `atLeast`. */
  goal: number
  atLeast?: boolean
  /** Shows the ratio as one over a number. */
  inverse?: boolean
  measured: number
  floorMeasured: number
  unit: 'ms' | 'mb' | 'perSecond'
  /** Further figures for the report. */
  more?: Record<string, number>
}

/** The row of a figure's ratio to its floor. */
export function ratioRow({ what, floor, goal, measured, floorMeasured, unit, ...rest }: Compared): Row {
  const { atLeast = false, inverse = false, more = {} } = rest
  const ratio = measured / floorMeasured
  const words = (value: number, digits: number): string =>
    inverse ? `1/${Math.round(1 / value)}` : `${value.toFixed(digits)}x`
  return {
    what,
    floor,
    goal: `${atLeast ? '>=' : '<='} ${inverse ? words(goal, 0) : `${goal}x`}`,
    measured: words(ratio, 2),
    reached: atLeast ? ratio >= goal : ratio <= goal,
    figures: { ratio, [`measured_${unit}`]: measured, [`floor_${unit}`]: floorMeasured, ...more },
  }
}

/** A row that couldn't be measured, and why. */
export function missingRow(what: string, error: unknown): Row {
  const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  return { what, floor: '', goal: '', measured: `not measured: ${reason}`, reached: null, figures: {} }
}

/** The rows as a table in Markdown, columns aligned. */
export function table(rows: readonly Row[]): string {
  const reached = (row: Row): string => (row.reached === null ? '' : row.reached ? 'reached' : 'not reached')
  const lines = [
    ['what', 'floor', 'goal', 'measured', ''],
    ...rows.map((row) => [row.what, row.floor, row.goal, row.measured, reached(row)]),
  ]
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length), 3))
  const print = (line: string[]): string =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [
    print(lines[0]!),
    print(widths.map((width) => '-'.repeat(width))),
    ...lines.slice(1).map(print),
  ].join('\n')
}
