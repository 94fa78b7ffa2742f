/** The benchmark of comparing two large deployments, in Electron's own Node. Sends its row to its parent. */
import { compare } from '../../../electron/domain/compare/compare'
import { readSide, type Side } from '../../../electron/domain/compare/side'
import { largeRequest } from '../data/large-request'
import { median, timed } from '../measure'
import type { Row } from '../rows'

const turns = 50
const frame = 1000 / 60

/** An answer of a service with a large resource spec, in which every third value of a variable differs by `turn`. */
function answer(turn: number, containers: number, variables: number): object {
  const text = JSON.stringify(largeRequest(containers, variables))
  return JSON.parse(text.replace(/"value (\d*[369])"/g, `"value $1 of ${turn}"`)) as object
}

/** The times of comparing two answers of two environments, as the page does after each load. */
function times(containers: number, variables: number): { fields: number; all: number[] } {
  const documents = [answer(1, containers, variables), answer(2, containers, variables)]
  let fields = 0
  const all = Array.from({ length: turns }, () =>
    timed(() => {
      const [one, other] = documents.map((document, index) =>
        readSide(document, { kind: 'answer', environmentId: String(index) }),
      ) as [Side, Side]
      fields = compare(one, other).length
    }),
  )
  return { fields, all }
}

const large = times(20, 10)
// More than this is cut before it is compared.
const atLimit = times(40, 200)
const measured = median(large.all)
process.send?.({
  what: 'comparing two deployments with 20 containers, 200 variables and 200 secrets each',
  floor: 'one 60 Hz frame (16.7 ms)',
  goal: '<= 16.7 ms',
  measured: `${measured.toFixed(1)} ms`,
  reached: measured <= frame,
  figures: {
    measured_ms: measured,
    first_ms: large.all[0] ?? 0,
    fields: large.fields,
    atLimit_ms: median(atLimit.all),
    atLimit_fields: atLimit.fields,
  },
} satisfies Row)
process.disconnect()
