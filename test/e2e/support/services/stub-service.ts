import { type CallInput, type Environment, type Outcome, sampleIntegrationId } from '@contract'
import { type Page, expect } from '@playwright/test'
import { type IncomingHttpHeaders, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pageOf } from '../../../support/builders/answer-bodies'
import { type RunningService, startService } from '../../../support/service/service-process'

/** Answers a request. Gets the query of List deployments, the response to write to, and the request's headers. */
export type Answer = (query: URLSearchParams, response: ServerResponse, headers: IncomingHttpHeaders) => void

/** A service that answers whatever a test wants. */
export class StubService {
  private constructor(
    private readonly server: Server,
    readonly baseUrl: string,
    /** Its answer from now on. */
    public answer: Answer,
  ) {}

  static async start(answer: Answer): Promise<StubService> {
    const server = createServer((request, response) => {
      stub.answer(new URL(request.url ?? '/', 'http://stub').searchParams, response, request.headers)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const stub: StubService = new StubService(server, `http://127.0.0.1:${port}`, answer)
    return stub
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

/** Answers with a JSON value. */
export const json =
  (value: unknown, status = 200): Answer =>
  (_query, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }

/** A deployment as a service may answer it. */
export function anyDeployment(index: number): Record<string, unknown> {
  return {
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    name: `stub-${index}`,
    source: 'repohost',
    source_config: { repo_url: 'https://git.example.com/team/app' },
    source_revision_config: { repo_ref: 'main' },
    secrets: [],
    status: 'READY',
    latest_revision_id: null,
    active_revision_id: null,
    created_at: '2026-11-01T00:00:00Z',
    updated_at: '2026-11-01T00:00:00Z',
  }
}

/** Answers lists of deployments as a service with the three calls does, filtered by their identifiers alone. */
export const listOf =
  (all: () => readonly Record<string, unknown>[]): Answer =>
  (query, response, headers) => {
    if (!/\/v2\/deployments(?:\?|$)/.test(response.req.url ?? '')) {
      json({ detail: 'Not Found' }, 404)(query, response, headers)
      return
    }
    const ids = query.get('deployment_ids')?.split(',')
    const found = ids ? all().filter(({ id }) => ids.includes(String(id))) : all()
    json(pageOf(found, query))(query, response, headers)
  }

/** A service whose deployments a test changes. */
export async function changingService(
  ...all: Record<string, unknown>[]
): Promise<{ state: { all: Record<string, unknown>[] }; stub: StubService }> {
  const state = { all }
  return { state, stub: await StubService.start(listOf(() => state.all)) }
}

/** Adds an environment without the dialog, and makes it the current one. */
export async function useEnvironment(
  page: Page,
  input: Partial<CallInput<'environments.save'>>,
): Promise<Environment> {
  const whole: CallInput<'environments.save'> = {
    id: null,
    name: 'Stub',
    baseUrl: 'http://127.0.0.1:1',
    mode: 'cloud',
    colour: 'amber',
    protected: false,
    headers: [],
    integrations: [],
    ...input,
  }
  const call = async (name: 'environments.save' | 'environments.select', value: unknown): Promise<string> =>
    page.evaluate(([call, callInput]) => window.slipway.calls[call](`test-${Math.random()}`, callInput), [
      name,
      value,
    ] as const)
  const saved = JSON.parse(await call('environments.save', whole)) as Outcome<Environment>
  if (!saved.ok) throw new Error(saved.failure.message)
  const selected = JSON.parse(await call('environments.select', { id: saved.value.id })) as Outcome<null>
  if (!selected.ok) throw new Error(selected.failure.message)
  await expect(page.getByRole('button', { name: `Environment: ${whole.name}` })).toBeVisible()
  return saved.value
}

/** The names of the environments of `OwnServices`. */
export const cloud = 'Company'
export const selfHosted = 'Team'

/** Services of both modes, in which tests may create what they want. What one creates is there for the others. */
export interface OwnServices {
  cloud: RunningService
  selfHosted: RunningService
  dispose: () => Promise<void>
}

export async function startOwnServices(): Promise<OwnServices> {
  const start = (mode: 'cloud' | 'self-hosted') => startService({ mode, sample: 40, provisionMs: 1_000 })
  const [ofCloud, ofSelfHosted] = await Promise.all([start('cloud'), start('self-hosted')])
  return {
    cloud: ofCloud,
    selfHosted: ofSelfHosted,
    async dispose() {
      await Promise.all([ofCloud.dispose(), ofSelfHosted.dispose()])
    },
  }
}

/** Adds the environments of both services; that of the cloud is the current one then. */
export async function useServices(page: Page, services: OwnServices): Promise<void> {
  const baseUrl = services.selfHosted.url
  await useEnvironment(page, { name: selfHosted, baseUrl, mode: 'self-hosted' })
  await useEnvironment(page, {
    name: cloud,
    baseUrl: services.cloud.url,
    integrations: [sampleIntegrationId],
  })
}
