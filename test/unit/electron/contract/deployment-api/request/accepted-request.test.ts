import { expect, it } from 'vitest'
import { acceptedRequestSchemas, createRequestSchema } from '@contract'

const request = {
  name: 'invoice-agent',
  source: 'internal_source',
  source_config: { resource_spec: { cpu: 0.5, volumes: [{ name: 'v', emptyDir: {} }] } },
  source_revision_config: {},
  secrets: [{ name: 'A', value: '' }],
}

const unknownMembers = [
  { ...request, colour: 'red' },
  { ...request, source_config: { ...request.source_config, colour: 'red' } },
  { ...request, source_config: { resource_spec: { colour: 'red' } } },
  { ...request, source_config: { resource_spec: { volumes: [{ colour: 'red' }] } } },
  { ...request, source_config: { resource_spec: { sidecars: [{ env: [{ colour: 'red' }] }] } } },
  { ...request, source_revision_config: { repo_commit_sha: 'abc' } },
  { ...request, secrets: [{ name: 'A', value: 'b', colour: 'red' }] },
]

it.each(unknownMembers)('is written strictly and read tolerantly: %j', (request) => {
  expect(createRequestSchema.safeParse(request).success).toBe(false)
  const read = acceptedRequestSchemas.createRequest.safeParse(request)
  expect(read.success).toBe(true)
  expect(JSON.stringify(read.data)).not.toMatch(/colour|repo_commit_sha/)
})
