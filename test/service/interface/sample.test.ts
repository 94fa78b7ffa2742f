import { beforeAll, describe, expect, it } from 'vitest'
import {
  availableSources,
  checkRequest,
  type CreateRequest,
  deploymentStatuses,
  environmentModes,
  readDeployment,
  requestSchemas,
  sampleIntegrationId,
  workloadGroups,
} from '@contract'
import { type DeploymentAnswer, repositoryAnswerSchema } from '../../../electron/service/api/schemas'
import { startService } from '../../support/service/service-here'
import { listAll, send } from '../../support/service/client'

const repositoriesOf = (id: string): string => `/v1/integrations/forge/repohost/${id}/repos`

/** A deployment as Slipway reads it: the values of containers' variables are hidden. */
const withHiddenVariables = (deployment: DeploymentAnswer): DeploymentAnswer =>
  JSON.parse(JSON.stringify(deployment), (name, member: unknown) =>
    name === 'env' && Array.isArray(member)
      ? member.map((one: object) => ('value' in one ? { ...one, value: '•••' } : one))
      : member,
  ) as DeploymentAnswer

async function sampleOf(mode: (typeof environmentModes)[number], sample: number) {
  const service = await startService({ mode, sample })
  try {
    const deployments = await listAll(service.url)
    const { body: repositories } = await send<unknown[]>(service.url + repositoriesOf(sampleIntegrationId))
    return { deployments, repositories }
  } finally {
    await service.dispose()
  }
}

describe.each(environmentModes)('the sample of a %s environment', (mode) => {
  let deployments: DeploymentAnswer[]
  let repositories: unknown[]
  beforeAll(async () => {
    ;({ deployments, repositories } = await sampleOf(mode, 250))
  })

  it('is the same every time, including identifiers', async () => {
    expect(await sampleOf(mode, 250)).toEqual({ deployments, repositories })
  })

  it('has everything that the mode can have, of several ages', () => {
    expect(deployments).toHaveLength(250)
    const distinct = <T>(read: (deployment: DeploymentAnswer) => T) => new Set(deployments.map(read))
    expect(distinct(({ source }) => source)).toEqual(new Set(availableSources(mode)))
    expect(distinct(({ status }) => status)).toEqual(new Set(deploymentStatuses))
    expect(distinct(({ name }) => name).size).toBe(250)
    expect(distinct(({ id }) => id).size).toBe(250)
    expect(distinct(({ source_config }) => source_config.deployment_type).size).toBe(4)
    expect(distinct(({ image_version }) => image_version).size).toBeGreaterThan(4)
    expect(distinct(({ source_config }) => source_config.listener_id === null).size).toBe(2)
    const years = distinct(({ created_at }) => created_at.slice(0, 4))
    expect(years.size).toBeGreaterThanOrEqual(2)
    expect(deployments.some(({ name }) => name.length > 63)).toBe(true)
    expect(deployments.some(({ secrets }) => secrets.length > 1)).toBe(true)
    if (mode === 'self-hosted') {
      expect(deployments.some(({ secret_references: references }) => (references ?? []).length > 0)).toBe(
        true,
      )
      expect(deployments.some(({ source_config }) => source_config.custom_url !== null)).toBe(true)
    }
  })

  it('has deployments that are rolling out and some that never ran', () => {
    const rollingOut = deployments.filter(
      ({ active_revision_id, latest_revision_id }) =>
        active_revision_id !== null && active_revision_id !== latest_revision_id,
    )
    expect(rollingOut.length).toBeGreaterThan(0)
    expect(rollingOut.every(({ status }) => status === 'READY')).toBe(true)
    for (const { status, active_revision_id, latest_revision_id } of deployments) {
      expect(latest_revision_id).not.toBeNull()
      expect(active_revision_id === null).toBe(status === 'AWAITING_DATABASE')
    }
  })

  it('has resource specs with every group and field', () => {
    const specs = deployments.flatMap(({ source_config }) => source_config.resource_spec ?? [])
    const full = specs.filter((spec) => (spec.sidecars ?? []).length > 0)
    expect(full.length).toBeGreaterThan(5)
    expect(specs.length - full.length).toBeGreaterThan(5)
    expect(Object.keys(full[0]!).sort()).toEqual(Object.keys(requestSchemas.resourceSpec.shape).sort())
    for (const field of Object.values(workloadGroups).flat()) expect(full[0]![field]).toBeTypeOf('number')
  })

  it('has only deployments that could have been created here, and that Slipway can read', () => {
    for (const deployment of deployments) {
      const { repo_commit_sha: _sha, ...revision } = deployment.source_revision_config
      const request: CreateRequest = {
        name: deployment.name,
        source: deployment.source,
        source_config: deployment.source_config,
        source_revision_config: revision,
        secrets: deployment.secrets,
        secret_references: deployment.secret_references,
      }
      expect(requestSchemas.createRequest.parse(request)).toEqual(request)
      expect(checkRequest(request, mode).filter(({ level }) => level !== 'usual')).toEqual([])
      expect(readDeployment(deployment)).toMatchObject({ ok: true, value: withHiddenVariables(deployment) })
      expect(deployment.updated_at >= deployment.created_at).toBe(true)
    }
  })

  it('can be small and still show each status', async () => {
    const { deployments: few } = await sampleOf(mode, 5)
    expect(new Set(few.map(({ status }) => status))).toEqual(new Set(deploymentStatuses))
  })

  it('has some 30 repositories under one integration', () => {
    expect(repositories).toHaveLength(30)
    for (const repository of repositories) {
      expect(repositoryAnswerSchema.strict().parse(repository)).toEqual(repository)
      expect(repository).toMatchObject({ host_integration_id: sampleIntegrationId })
    }
  })
})
