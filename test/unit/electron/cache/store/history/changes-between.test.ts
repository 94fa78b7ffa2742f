import fc from 'fast-check'
import { expect, it } from 'vitest'
import { changesBetween } from '../../../../../../electron/cache/store/history/changes-between'
import { answered } from '../../../../../support/builders/cached-deployments'

/** A configuration as a service may return it. */
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.string({ maxLength: 3 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('any'), { maxKeys: 4 }),
    fc
      .uniqueArray(fc.string({ maxLength: 3 }), { maxLength: 4 })
      .chain((names) => fc.tuple(...names.map((name) => tie('any').map((content) => ({ name, content }))))),
  ),
})).any

/** The same written differently: members and named items in another order, and null for what is missing. */
function reworded(said: unknown): unknown {
  if (Array.isArray(said)) {
    const items = said.map(reworded)
    const names = said.map((item: unknown) => (item as { name?: unknown } | null)?.name)
    const areNamed = names.every((name) => typeof name === 'string') && new Set(names).size === said.length
    return areNamed ? items.reverse() : items
  }
  if (typeof said !== 'object' || said === null) return said
  const members = Object.entries(said).map(([name, member]) => [name, reworded(member)] as const)
  return Object.fromEntries([...members.reverse(), ['not there before', null], ['nor this', '']])
}

const of = (resource_spec: unknown) => ({ ...answered(1), source_config: { resource_spec } })

it('finds nothing in the same answer written differently', () => {
  fc.assert(
    fc.property(value, (said) => {
      expect(changesBetween(of(said), of(reworded(said)))).toEqual([])
    }),
  )
})

it('finds another order of init containers, which run one after the other, and of no others', () => {
  const spec = (...names: string[]) => {
    const containers = names.map((name) => ({ name, image: 'app' }))
    return { containers, init_containers: containers }
  }
  const init = 'source_config.resource_spec.init_containers'
  expect(changesBetween(of(spec('2', '1', 'a')), of(spec('1', '2', 'a')))).toEqual([
    { kind: 'configuration', member: init, before: '["2","1","a"]', after: '["1","2","a"]' },
  ])
  // One more doesn't change the order of the others.
  const added = changesBetween(of(spec('a', 'b')), of(spec('c', 'a', 'b')))
  expect(added.map(({ member }) => member)).toEqual([
    'source_config.resource_spec.containers[c]',
    `${init}[c]`,
  ])
})

it('finds a change of any value, once, and the opposite in the other direction', () => {
  fc.assert(
    fc.property(value, value, (one, other) => {
      const there = changesBetween(of(one), of(other))
      const back = changesBetween(of(other), of(one))
      expect(back.map(({ member, before, after }) => [member, after, before]).sort()).toEqual(
        there.map(({ member, before, after }) => [member, before, after]).sort(),
      )
      // With both at once, each is found at its place.
      const both = changesBetween({ ...of(one), status: 'A' }, { ...of(other), status: 'B' })
      expect(both).toEqual([{ kind: 'status', member: null, before: 'A', after: 'B' }, ...there])
    }),
  )
})

it('names the members that changed, by the names of items, up to a limited number', () => {
  const spec = (cpu: number, names: string[]) => ({
    containers: names.map((name) => ({ name, cpu })),
  })
  const changed = changesBetween(of(spec(1, ['a', 'b'])), of(spec(2, ['b', 'c'])))
  expect(changed.map(({ member, before, after }) => [member, before, after])).toEqual([
    ['source_config.resource_spec.containers[a]', '{"name":"a","cpu":1}', null],
    ['source_config.resource_spec.containers[b].cpu', '1', '2'],
    ['source_config.resource_spec.containers[c]', null, '{"name":"c","cpu":2}'],
  ])
  const many = (more: number) =>
    Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`m${at}`, at + more]))
  const cut = changesBetween(of(many(0)), of(many(1)))
  expect(cut).toHaveLength(21)
  expect(cut.at(-1)).toEqual({ kind: 'configuration', member: null, before: null, after: null })
})
