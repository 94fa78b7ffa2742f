import { randomUUID } from 'node:crypto'
import { type Agent, request } from 'node:http'

/** How many requests the benchmarks of a service have in flight. */
export const inFlight = 8

/** The page that they list. */
export const listPath = '/v2/deployments?limit=20&offset=100'

/** The body of a creation with a new name. */
export function bodyOf(): string {
  return JSON.stringify({
    name: `bench-${randomUUID()}`,
    source: 'repohost',
    source_config: {
      integration_id: randomUUID(),
      repo_url: 'https://git.example.com/team/app',
      build_on_push: true,
      deployment_type: 'dev',
    },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'agent.json' },
    secrets: [{ name: 'TOKEN', value: 'hidden' }],
  })
}

/** How often `one` is done in a second, a few at a time. */
export async function rate(count: number, one: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  let left = count
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await one()
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  return (count * 1000) / (performance.now() - began)
}

/** A request; a POST if it has a body. */
export function exchange(
  agent: Agent,
  url: string,
  body?: string,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const outgoing = request(
      url,
      { agent, method: body === undefined ? 'GET' : 'POST', headers },
      (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }),
        )
        response.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
