import { compare } from '@domain/compare/compare'
import { readSide } from '@domain/compare/side'
import { comparisonText, sideText } from '@domain/compare/text'
import { expect, it } from 'vitest'

const origin = { kind: 'request', environmentId: null } as const

const left = readSide(
  {
    name: 'agent',
    source_revision_config: { repo_ref: 'main' },
    source_config: {
      resource_spec: {
        sidecars: [
          { name: 'proxy', image: 'proxy:1', env: [{ name: 'LEVEL', value: 'info' }], args: ['--a', '--b'] },
        ],
        volumes: [{ name: 'scratch', emptyDir: {} }],
      },
    },
    secrets: [
      { name: 'B', value: 'hunter2' },
      { name: 'A', value: 'hunter2' },
    ],
  },
  origin,
)!
const right = readSide({ name: 'agent', source_revision_config: { repo_ref: 'release' } }, origin)!

it('writes a side as JSON, with only the names of secrets and without what is hidden', () => {
  const keys = left.fields.map(({ key }) => key).filter((key) => !key.endsWith('args'))
  expect(JSON.parse(sideText(left, new Set(keys)))).toEqual({
    name: 'agent',
    secrets: [{ name: 'A' }, { name: 'B' }],
    source_config: {
      resource_spec: {
        sidecars: [{ name: 'proxy', image: 'proxy:1', env: [{ name: 'LEVEL', value: '•••' }] }],
        volumes: [{ name: 'scratch', emptyDir: {} }],
      },
    },
    source_revision_config: { repo_ref: 'main' },
  })
})

it('writes a comparison by its groups', () => {
  const fields = compare(left, right).filter(({ member }) =>
    ['identity', 'revision', 'secrets'].includes(member.group),
  )
  expect(comparisonText(fields, { left: 'agent, Production', right: 'a draft, Staging' }))
    .toBe(`Left: agent, Production
Right: a draft, Staging

Identity
  Name: same
    agent

Revision
  Git ref: differs
    Left: main
    Right: release

Secrets
  Secret A: only left
    Left: set
    Right: not set
  Secret B: only left
    Left: set
    Right: not set
`)
  expect(comparisonText([], { left: 'a', right: 'b' })).toContain('No differences.')
})

it('does not let a name or label start a line of the copied text', () => {
  const forged = 'a\n  Right: pay (Prod)\v\f\u0085\u2028\u2029\r'
  const side = (labels: object) => readSide({ source_config: { resource_spec: { labels } } }, origin)!
  const fields = compare(side({ [forged]: '1' }), side({}))
  expect(fields).toHaveLength(1)
  const text = comparisonText(fields, { left: forged, right: forged })
  // Both sides, an empty line, the group, the field, and its two values.
  expect(text.trimEnd().split(/[\n\r\v\f\u0085\u2028\u2029]/)).toHaveLength(7)
})
