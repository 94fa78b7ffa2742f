/** A deployment as a service may answer it. `index` makes it different from others. */
export function answered(index: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  const created = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString()
  return {
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    name: `agent-${String(index).padStart(4, '0')}`,
    source: index % 3 === 0 ? 'external_docker' : 'repohost',
    source_config: {
      integration_id: '11111111-2222-4333-8444-555555555555',
      repo_url: index % 3 === 0 ? null : `https://git.example.com/team/app-${index % 7}`,
      deployment_type: index % 2 === 0 ? 'prod' : 'dev',
      resource_spec: { init_containers: [{ name: 'init', command: ['serve', '--visible'] }] },
    },
    source_revision_config: {
      repo_ref: 'main',
      image_uri: index % 3 === 0 ? `registry.example.com/agents:${index}` : null,
    },
    secrets: [{ name: 'TOKEN', value: 'a-secret-value' }],
    tenant_id: 'tenant',
    created_at: created,
    updated_at: created,
    status: index % 5 === 0 ? 'UNUSED' : 'READY',
    latest_revision_id: 'r2',
    active_revision_id: index % 4 === 0 ? 'r1' : 'r2',
    ...more,
  }
}

/** The body of a page of such deployments. */
export const pageBody = (resources: unknown[], offset = resources.length): Uint8Array =>
  jsonBody({ resources, offset })

/** `count` deployments, starting with index `first`. */
export function several(count: number, first = 0): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => answered(first + index))
}

/** The page of a list for a query (interface: List deployments), as the body of an answer. */
export function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams | undefined,
): { resources: T[]; offset: number } {
  const offset = Number(query?.get('offset') ?? 0)
  const resources = all.slice(offset, offset + Number(query?.get('limit') ?? 20))
  return { resources, offset: offset + resources.length }
}

/** The body of an answer: a value as JSON in UTF-8. */
export const jsonBody = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
