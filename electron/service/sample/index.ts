import {
  availableSources,
  type DeploymentStatus,
  deploymentStatuses,
  type EnvironmentMode,
  sampleIntegrationId,
  sampleLeftoverTracingProject,
  sampleTagValueIds,
  type Source,
} from '@contract'
import type { DeploymentAnswer, RepositoryAnswer } from '../api/schemas'
import type { NewDeployment } from '../database/deployments'
import type { Store } from '../database/store'
import { createRandom, type Random } from './random'
import {
  failures,
  fullResourceSpec,
  imageVersions,
  namespaces,
  owners,
  registries,
  secretNames,
  smallResourceSpec,
  stages,
  subjects,
  tasks,
} from './content'

const seeds: Record<EnvironmentMode, number> = { cloud: 2026, 'self-hosted': 1126 }

/** The tenant of an installation that begins with a sample. */
export const sampleTenant = (mode: EnvironmentMode): string => createRandom(seeds[mode]).uuid()

/**
 * Fills an empty database with `count` deployments, the repositories of one integration, and a tracing project whose
 * deployment is gone. Leaves any other database unchanged, and returns false. The same mode and count produce the same
 * data on every machine, including identifiers.
 */
export function fillWithSample(store: Store, mode: EnvironmentMode, count: number): Promise<boolean> {
  return store.fill(() => {
    const random = createRandom(seeds[mode])
    // The first number is that of `sampleTenant`.
    random.uuid()
    const { tenantId } = store
    const repositories = sampleRepositories(random)
    return {
      repositories,
      leftovers: [sampleLeftoverTracingProject],
      deployments: sampleDeployments({ random, mode, tenantId, repositories }, count),
    }
  })
}

const repositoryCount = 30

/** The repositories of the sample's only integration. */
function sampleRepositories(random: Random): RepositoryAnswer[] {
  return Array.from({ length: repositoryCount }, (_, index) => {
    const owner = random.pick(owners)
    const name = `${subjects[index]}-${random.pick(tasks)}`
    return {
      host_integration_id: sampleIntegrationId,
      id: 410_200_000 + index * 7_919 + random.between(0, 7_000),
      name,
      owner,
      url: `https://github.com/${owner}/${name}`,
      default_branch: random.weighted([
        ['main', 8],
        ['master', 2],
        ['develop', 1],
        ['release/2026-q4', 1],
      ]),
    }
  })
}

/** The latest creation time in the sample. It is fixed, so that the data is always the same. */
const newest = Date.parse('2026-11-01T09:00:00.000Z')

const minute = 60_000
const twoYears = 2 * 365 * 24 * 60 * minute

const sourceWeights: Record<Source, number> = {
  repohost: 60,
  internal_source: 18,
  internal_docker: 14,
  internal_template: 8,
  external_docker: 100,
}

const statusWeights: [DeploymentStatus, number][] = [
  ['READY', 80],
  ['UNUSED', 8],
  ['AWAITING_DELETE', 5],
  ['AWAITING_DATABASE', 4],
  ['UNKNOWN', 3],
]

/** What all deployments of a sample share. */
interface SampleContext {
  random: Random
  mode: EnvironmentMode
  tenantId: string
  repositories: RepositoryAnswer[]
}

/**
 * Creates `count` deployments, oldest first. The newest five have one of each status, and the newest four one of each
 * source that the mode allows, so that even a small sample shows everything.
 */
function sampleDeployments(context: SampleContext, count: number): NewDeployment[] {
  const { random } = context
  const ages = Array.from({ length: count }, () => Math.floor(random.fraction() ** 2 * twoYears)).sort(
    (a, b) => b - a,
  )
  const names = new Set<string>()
  const sources = availableSources(context.mode)
  return ages.map((age, index) => {
    const newer = count - 1 - index
    const source =
      sources[newer] ?? random.weighted(sources.map((each) => [each, sourceWeights[each]] as const))
    const status = deploymentStatuses[newer] ?? random.weighted(statusWeights)
    return makeDeployment(context, freshName(random, names), source, status, newest - age)
  })
}

/** A name that no other sample deployment has. A few names are longer than is safe. */
function freshName(random: Random, taken: Set<string>): string {
  const long = random.chance(0.02) ? 'for-the-northern-region-customer-operations-team' : ''
  const parts = [random.pick(subjects), random.pick(tasks), random.pick(stages), long]
  const base = parts.filter((part) => part !== '').join('-')
  let name = base
  for (let number = 2; taken.has(name); number += 1) name = `${base}-${number}`
  taken.add(name)
  return name
}

function makeDeployment(
  context: SampleContext,
  name: string,
  source: Source,
  status: DeploymentStatus,
  created: number,
): NewDeployment {
  const { random } = context
  const latest = random.uuid()
  const updated = status === 'AWAITING_DATABASE' ? created : laterThan(random, created)
  const answer: DeploymentAnswer = {
    id: random.uuid(),
    name,
    source,
    ...sourceConfigs(context, name, source),
    secrets: someOf(random, secretNames, 4).map((secret) => ({ name: secret, value: '' })),
    secret_references:
      source === 'external_docker'
        ? someOf(random, secretNames, 2).map((secret) => ({
            name: secret,
            secret_name: `${name.slice(0, 20)}-secrets`,
            secret_key: secret.toLowerCase().replaceAll('_', '-'),
          }))
        : null,
    tenant_id: context.tenantId,
    created_at: new Date(created).toISOString(),
    updated_at: new Date(updated).toISOString(),
    status,
    latest_revision_id: latest,
    active_revision_id: activeRevision(random, status, latest),
    image_version: status !== 'AWAITING_DATABASE' && random.chance(0.7) ? random.pick(imageVersions) : null,
  }
  const tagValueIds = someOf(random, Object.values(sampleTagValueIds), 2)
  return { answer, readyAt: null, tagValueIds, failure: failureOf(answer) }
}

/** The sources whose image isn't built here. */
const withoutBuild: readonly Source[] = ['external_docker', 'internal_docker']

/** Why the latest revision of a deployment isn't the active one: half of those that are built here have failed. */
function failureOf({
  source,
  latest_revision_id: latest,
  active_revision_id: active,
}: DeploymentAnswer): string | null {
  if (latest === null || active === null || active === latest || withoutBuild.includes(source)) return null
  return latest < '8' ? failures[Number.parseInt(latest.slice(0, 1), 16) % failures.length]! : null
}

/** The revision that runs: none yet, the latest, or an earlier one while the latest is rolling out. */
function activeRevision(random: Random, status: DeploymentStatus, latest: string): string | null {
  if (status === 'AWAITING_DATABASE') return null
  return status === 'READY' && random.chance(0.12) ? random.uuid() : latest
}

function sourceConfigs(
  { random, repositories }: SampleContext,
  name: string,
  source: Source,
): Pick<DeploymentAnswer, 'source_config' | 'source_revision_config'> {
  const repository = random.pick(repositories)
  const fromRepository = source === 'repohost'
  const external = source === 'external_docker'
  const listened = random.chance(external ? 0.6 : 0.1)
  const spec = random.fraction()
  const tag = `v${random.between(0, 4)}.${random.between(0, 30)}.${random.between(0, 9)}`
  const tagged = random.chance(0.1)
  return {
    source_config: {
      integration_id: fromRepository ? sampleIntegrationId : null,
      repo_url: fromRepository ? repository.url : null,
      build_on_push: fromRepository ? !tagged && random.chance(0.6) : null,
      custom_url: external && random.chance(0.5) ? `https://${name.slice(0, 40)}.agents.example` : null,
      resource_spec:
        spec < 0.15
          ? fullResourceSpec(random, name)
          : external || spec < 0.6
            ? smallResourceSpec(random)
            : null,
      listener_id: listened ? random.uuid() : null,
      listener_config: listened ? { k8s_namespace: random.pick(namespaces) } : null,
      install_command: fromRepository && random.chance(0.2) ? 'npm ci' : null,
      build_command: fromRepository && random.chance(0.2) ? 'npm run build' : null,
      ...(random.chance(0.9)
        ? { deployment_type: random.pick(['dev_free', 'dev', 'dev', 'prod', 'prod']) }
        : {}),
    },
    source_revision_config: {
      repo_ref: fromRepository ? (tagged ? `refs/tags/${tag}` : repository.default_branch) : null,
      graph_config_path: fromRepository
        ? random.pick(['agent.json', 'agent.json', 'apps/agent/agent.json'])
        : null,
      image_uri:
        external || source === 'internal_docker' ? `${random.pick(registries)}/${name}:${tag}` : null,
      source_tarball_path: source === 'internal_source' ? `uploads/${random.uuid()}/source.tar.gz` : null,
      repo_commit_sha: fromRepository ? random.hex(40) : null,
    },
  }
}

/** A time between `created` and the sample's newest time. Earlier times are more likely. */
function laterThan(random: Random, created: number): number {
  return created + 2 * minute + Math.floor(random.fraction() ** 3 * Math.max(0, newest - created))
}

/** Up to `most` different items, often none. */
function someOf<T>(random: Random, items: readonly T[], most: number): T[] {
  return [...new Set(Array.from({ length: random.between(0, most) }, () => random.pick(items)))]
}
