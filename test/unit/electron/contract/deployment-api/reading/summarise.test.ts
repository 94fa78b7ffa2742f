import { answerLimits, deploymentSchema } from '@contract'
import { expect, it } from 'vitest'
import { summarise, summariseInFull } from '@contract/deployment-api/reading/summarise'

const long = 'x'.repeat(answerLimits.summaryTextLength + 1)
const deployment = deploymentSchema.parse({
  id: '1',
  name: 'invoice-agent',
  source: 'repohost',
  source_config: { repo_url: 'https://x.example', resource_spec: { cpu: 1 } },
  source_revision_config: { repo_ref: 'main', image_uri: long },
  secrets: [{ name: 'A', value: 'hidden' }],
  status: 'READY',
})

it('has what the list shows and no secrets', () => {
  const summary = summarise(deployment)
  expect(summary).toMatchObject({
    id: '1',
    name: 'invoice-agent',
    repo_url: 'https://x.example',
    repo_ref: 'main',
  })
  expect(JSON.stringify(summary)).not.toContain('secret')
})

it('cuts long texts, unless the full text is requested', () => {
  expect(summarise(deployment).image_uri).toBe(`${long.slice(1)}…`)
  expect(summariseInFull(deployment)).toEqual({ ...summarise(deployment), image_uri: long })
})
