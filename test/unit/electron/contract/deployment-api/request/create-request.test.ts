import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRequestSchema, orderedPairs, requestSchemas } from '@contract'

const request = {
  name: 'invoice-agent',
  source: 'internal_source',
  source_config: { resource_spec: { cpu: 0.5, volumes: [{ name: 'v', emptyDir: {} }] } },
  source_revision_config: {},
  secrets: [{ name: 'A', value: '' }],
}

describe('a creation request', () => {
  it('is accepted unchanged', () => {
    expect(createRequestSchema.parse(request)).toEqual(request)
  })

  it('has a name that a query can carry', () => {
    expect(createRequestSchema.safeParse({ ...request, name: 'half-\ud800-pair' }).success).toBe(false)
    expect(createRequestSchema.safeParse({ ...request, name: 'whole-\u{1f600}-pair' }).success).toBe(true)
  })

  it.each(['name', 'source', 'source_config', 'source_revision_config', 'secrets'])('needs %s', (member) => {
    expect(createRequestSchema.safeParse({ ...request, [member]: undefined }).success).toBe(false)
  })
})

describe('a resource spec', () => {
  it('may not ask for more than its limits allow, nor have a minimum above its maximum', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...orderedPairs),
        fc.nat(1000),
        fc.nat(1000),
        ([low, high], first, second) => {
          const result = requestSchemas.resourceSpec.safeParse({ [low]: first, [high]: second })
          expect(result.success).toBe(first <= second)
          if (!result.success) expect(result.error.issues[0]).toMatchObject({ path: [low] })
        },
      ),
    )
  })

  it.each([
    { cpu: -1 },
    { memory_mb: 0.5 },
    { cpu: Number.NaN },
    { cpu: '1' },
    { labels: [] },
    { volumes: {} },
  ])('refuses %j', (spec) => {
    expect(requestSchemas.resourceSpec.safeParse(spec).success).toBe(false)
  })
})
