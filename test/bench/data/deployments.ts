/** Hexadecimal digits, spread evenly over the values. */
const hex = (value: number, length: number): string =>
  (Math.imul(value + 1, 2654435761) >>> 0).toString(16).padStart(8, '0').repeat(2).slice(0, length)

const uuid = (value: number): string =>
  `${hex(value, 8)}-${hex(value + 7, 4)}-4${hex(value + 13, 3)}-8${hex(value + 29, 3)}-${String(value).padStart(12, '0')}`

/** A generated deployment of about 3 KB as JSON text, the same every time. A higher index is an older deployment. */
export function benchDeployment(index: number): string {
  const created = new Date(Date.UTC(2026, 9, 1) - index * 1000).toISOString()
  const sidecar = (number: number): Record<string, unknown> => ({
    name: `sidecar-${number}`,
    image: `registry.example.com/sidecar:${number}`,
    command: ['run', '--quietly'],
    env: Array.from({ length: 7 }, (_, at) => ({ name: `VARIABLE_${at}`, value: `value ${at} of ${index}` })),
  })
  return JSON.stringify({
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
  })
}

/** Answers List deployments with generated ones, newest first, with the interface's meaning of the offset. */
export class BenchDeployments {
  private readonly texts: Buffer[]

  constructor(readonly size: number) {
    this.texts = Array.from({ length: size }, (_, index) => Buffer.from(benchDeployment(index)))
  }

  page(offset: number, limit: number): Buffer {
    return this.answer(this.texts.slice(offset, offset + limit), offset)
  }

  byIds(ids: ReadonlySet<string>): Buffer {
    // The index is at the end of an identifier.
    const found = [...ids].map((id) => this.texts[Number(id.slice(-12))]).filter((text) => text !== undefined)
    return this.answer(found, 0)
  }

  private answer(texts: Buffer[], offset: number): Buffer {
    const parts: Buffer[] = [Buffer.from('{"resources":[')]
    texts.forEach((text, index) => parts.push(...(index === 0 ? [text] : [comma, text])))
    parts.push(Buffer.from(`],"offset":${offset + texts.length}}`))
    return Buffer.concat(parts)
  }
}

const comma = Buffer.from(',')
