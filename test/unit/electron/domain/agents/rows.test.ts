import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agentKey } from '../../../../../electron/domain/agents/identity'
import {
  type AgentRow,
  type ColumnOfRows,
  createRowMerger,
  type Entry,
  type Member,
} from '../../../../../electron/domain/agents/rows'

/** A deployment of the test: where it is, and which agent it is by inference and by manual assignment. */
interface Known {
  column: number
  place: number
  inferred: string
  byHand: string | null
  version: string
}

const keys = ['a', 'b', 'c', 'd'].map((name) =>
  agentKey({ agent_id: null, name, repo_url: null, graph_config_path: null, image_uri: null }),
)
const key = fc.constantFrom(...keys)
const known = fc
  .array(
    fc.record({
      column: fc.nat({ max: 2 }),
      inferred: key,
      byHand: fc.option(key),
      version: fc.constantFrom('', 'image 1 ', 'image 2 '),
    }),
    { maxLength: 20 },
  )
  .map((all): Known[] => all.map((one, place) => ({ ...one, place })))

function entriesOf(all: readonly Known[], by: 'inferred' | 'byHand'): Entry[] {
  return keys.flatMap((agent) => {
    const members = all
      .filter((one) => one[by] === agent)
      .map(({ place, version }): Member => [place, version])
    return members.length > 0 ? [{ agent, matches: false, members }] : []
  })
}

const columnsOf = (all: readonly Known[]): ColumnOfRows[] =>
  [0, 1, 2].map((column) => {
    const assigned = all.filter((one) => one.column === column && one.byHand !== null)
    return {
      isComplete: true,
      assigned: new Map(assigned.map(({ place, byHand }) => [place, byHand!])),
      assignedEntries: entriesOf(assigned, 'byHand'),
    }
  })

/** Merges in parts of the given size, and reads rows after each. */
function merged(all: readonly Known[], size: number): AgentRow[] {
  const merger = createRowMerger(columnsOf(all))
  const left = [0, 1, 2].map((column) =>
    entriesOf(
      all.filter((one) => one.column === column),
      'inferred',
    ),
  )
  const rows: AgentRow[] = []
  for (let turn = 0; turn < 100 && merger.wanted().length > 0; turn += 1) {
    for (const column of merger.wanted()) {
      const part = left[column]!.splice(0, size)
      merger.add(column, part, left[column]!.length === 0)
    }
    rows.push(...merger.take())
  }
  return rows
}

const plain = (rows: readonly AgentRow[]): unknown =>
  rows.map(({ agent, members, ...row }) => [
    agent,
    row,
    [...members].map(([column, found]) => [column, [...found].sort(([one], [other]) => one - other)]),
  ])

describe('the rows', () => {
  it('have every deployment once, where it was assigned by the operator, or else where it belongs', () => {
    fc.assert(
      fc.property(known, fc.integer({ min: 1, max: 5 }), (all, size) => {
        const found = merged(all, size).flatMap(({ agent, members }) =>
          [...members].flatMap(([column, own]) => own.map(([place]) => ({ agent, column, place }))),
        )
        const expected = all.map(({ byHand, inferred, column, place }) => ({
          agent: byHand ?? inferred,
          column,
          place,
        }))
        const byPlace = (one: { place: number }, other: { place: number }): number => one.place - other.place
        expect(found.sort(byPlace)).toEqual(expected)
      }),
    )
  })

  it('are in the order of keys, one for each agent, whatever the order and size of what is read', () => {
    fc.assert(
      fc.property(known, fc.integer({ min: 1, max: 5 }), (all, size) => {
        const rows = merged(all, size)
        expect(rows.map(({ agent }) => agent)).toEqual([...new Set(rows.map(({ agent }) => agent))].sort())
        expect(plain(merged([...all].reverse(), 1000))).toEqual(plain(rows))
      }),
    )
  })
})

const row = (...columns: (readonly Member[])[]): AgentRow => {
  const merger = createRowMerger(
    columns.map(() => ({ isComplete: true, assigned: new Map(), assignedEntries: [] })),
  )
  columns.forEach((members, column) =>
    merger.add(column, members.length > 0 ? [{ agent: 'a name a', matches: true, members }] : [], true),
  )
  return merger.take()[0]!
}

it('keeps two deployments of one environment, and says whether versions differ and where one is missing', () => {
  expect(
    row([
      [1, 'image 1 '],
      [2, 'image 2 '],
    ]).members.get(0),
  ).toHaveLength(2)
  expect(
    row([
      [1, 'image 1 '],
      [2, 'image 2 '],
    ]).versionsDiffer,
  ).toBe(true)
  expect(row([[1, 'image 1 ']], [[9, 'image 1 ']])).toMatchObject({ versionsDiffer: false, isMissing: false })
  expect(row([[1, 'image 1 ']], [])).toMatchObject({ versionsDiffer: false, isMissing: true })
})

it('calls a deployment missing only if everything is known', () => {
  const column = { isComplete: false, assigned: new Map<number, string>(), assignedEntries: [] }
  const merger = createRowMerger([column, column])
  merger.add(0, [{ agent: 'a name a', matches: true, members: [[1, '']] }], true)
  expect(merger.take()).toEqual([])
  merger.add(1, [], true)
  expect(merger.take()[0]).toMatchObject({ isMissing: false })
})
