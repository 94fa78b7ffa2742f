/** Generated deployments of about 3 KB each, the same every time. */
export function benchPage(first: number, count: number): string {
  const resources = Array.from({ length: count }, (_, index) => benchDeployment(first + index))
  return JSON.stringify({ resources, offset: first + count })
}

/** Hexadecimal digits that are spread evenly over the values. */
export const hex = (value: number, length: number): string =>
  (Math.imul(value + 1, 2654435761) >>> 0).toString(16).padStart(8, '0').repeat(2).slice(0, length)

const uuid = (value: number): string =>
  `${hex(value, 8)}-${hex(value + 7, 4)}-4${hex(value + 13, 3)}-8${hex(value + 29, 3)}-${String(value).padStart(12, '0')}`

function benchDeployment(index: number): Record<string, unknown> {
  const created = new Date(Date.UTC(2026, 9, 1) - index * 1000).toISOString()
  const sidecar = (number: number): Record<string, unknown> => ({
    name: `sidecar-${number}`,
    image: `registry.example.com/sidecar:${number}`,
    command: ['run', '--quietly'],
    env: Array.from({ length: 7 }, (_, at) => ({ name: `VARIABLE_${at}`, value: `value ${at} of ${index}` })),
  })
  return {
    id: uuid(index),
    name: `agent-${hex(index, 6)}-${index}`,
    source: 'repohost',
    source_config: {
      integration_id: uuid(7),
      repo_url: `https://git.example.com/team-${index % 50}/app-${index % 900}`,
      build_on_push: true,
      deployment_type: 'prod',
      resource_spec: { cpu: 1, memory_mb: 1024, sidecars: [0, 1, 2, 3, 4, 5].map(sidecar) },
    },
    source_revision_config: {
      repo_ref: 'main',
      graph_config_path: 'agent.json',
      repo_commit_sha: hex(index, 16),
    },
    secrets: [{ name: 'TOKEN', value: '' }],
    tenant_id: uuid(1),
    created_at: created,
    updated_at: created,
    status: 'READY',
    latest_revision_id: uuid(index + 1),
    active_revision_id: uuid(index + 1),
    image_version: null,
  }
}
