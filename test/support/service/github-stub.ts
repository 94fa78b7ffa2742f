import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A repository as GitHub's REST API lists it, in part. */
export interface HostedRepository {
  id: number
  name: string
  branches: Record<string, string>
  tags: Record<string, string>
  archived?: boolean
}

/** A server that answers as GitHub documents it: lists in pages, ETags, rate limits. */
export interface GithubStub {
  url: string
  /** Its repositories by owner: organisations and users. */
  orgs: Record<string, HostedRepository[]>
  users: Record<string, HostedRepository[]>
  /** The next answers, in place of the usual ones. */
  next: [status: number, body: unknown, headers?: Record<string, string>][]
  /** Every request so far, with the status of its answer. */
  requests: { path: string; headers: IncomingMessage['headers']; status: number }[]
  close(): Promise<void>
}

/** Starts a stub on a free port of this machine. */
export async function startGithub(): Promise<GithubStub> {
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    response.once('close', () => {
      stub.requests.push({ path, headers: request.headers, status: response.statusCode })
    })
    const next = stub.next.shift()
    if (next) return reply(response, ...next)
    const url = new URL(path, stub.url)
    const [, kind, owner = '', name, what] = url.pathname.split('/')
    const list =
      kind === 'repos'
        ? refsOf(
            Object.entries({ ...stub.orgs, ...stub.users }).find(([key]) => key === owner)?.[1],
            name,
            what,
          )
        : (kind === 'orgs' ? stub.orgs : stub.users)[owner]?.map((repository) => listed(owner, repository))
    if (list === undefined) return reply(response, 404, { message: 'Not Found' })
    sendPage(request, response, url, list)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stub: GithubStub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orgs: {},
    users: {},
    next: [],
    requests: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return stub
}

/** Answers JSON. */
function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(JSON.stringify(body))
}

function sendPage(request: IncomingMessage, response: ServerResponse, url: URL, list: unknown[]): void {
  const size = Number(url.searchParams.get('per_page') ?? 30)
  const page = Number(url.searchParams.get('page') ?? 1)
  const some = list.slice((page - 1) * size, page * size)
  const etag = `W/"${createHash('sha256').update(JSON.stringify(some)).digest('hex')}"`
  const next = new URL(url)
  next.searchParams.set('page', String(page + 1))
  const link: Record<string, string> =
    page * size < list.length ? { link: `<${next.href}>; rel="next", <${next.href}>; rel="last"` } : {}
  if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag, ...link }).end()
  else reply(response, 200, some, { etag, ...link })
}

const listed = (owner: string, { id, name, archived = false }: HostedRepository) => ({
  id,
  node_id: 'MDEwOlJlcG9zaXRvcnkxMjk2MjY5',
  name,
  full_name: `${owner}/${name}`,
  owner: { login: owner, id: 1, type: 'Organization' },
  private: false,
  html_url: `https://github.com/${owner}/${name}`,
  description: null,
  default_branch: 'main',
  archived,
  disabled: false,
})

function refsOf(repositories: HostedRepository[] | undefined, name?: string, what?: string) {
  const found = repositories?.find((repository) => repository.name === name)
  if (found === undefined || (what !== 'branches' && what !== 'tags')) return undefined
  return Object.entries(found[what]).map(([ref, sha]) => ({
    name: ref,
    commit: { sha, url: '' },
    protected: false,
  }))
}
