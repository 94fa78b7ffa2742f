import { randomUUID } from 'node:crypto'
import { get, type IncomingHttpHeaders } from 'node:http'
import { get as getByTls, type RequestOptions } from 'node:https'
import { connect } from 'node:net'
import { expect } from 'vitest'
import type { CreateRequest, Source } from '@contract'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import { checkerOf } from './described-answers'

/** An answer of the service: its status and its JSON. */
export interface Answer<T = unknown> {
  status: number
  body: T
  headers: Headers
}

/** The body of an error. */
export interface ErrorBody {
  detail: string
}

/** The body of a 422. */
export interface InvalidBody {
  detail: { loc: (string | number)[]; msg: string; type: string }[]
}

export interface Page {
  resources: DeploymentAnswer[]
  offset: number
}

/** Sends a request, and expects an answer that matches the service's document. */
export async function exchange(
  url: string,
  init?: RequestInit,
): Promise<{ response: Response; text: string }> {
  const response = await fetch(url, init)
  const text = await response.text()
  const { status, headers } = response
  const path = new URL(url).pathname
  const [check, method] = [await checkerOf(url), init?.method ?? 'GET']
  const found = check({ method, path, status, headers, text })
  expect(found, `${method} ${path}: ${status} ${text.slice(0, 500)}`).toEqual([])
  return { response, text }
}

/** Sends a request whose answer is JSON, as almost every answer of the service is. */
export async function send<T>(url: string, init?: RequestInit): Promise<Answer<T>> {
  const { response, text } = await exchange(url, init)
  expect(response.headers.get('content-type')).toBe('application/json')
  return { status: response.status, body: JSON.parse(text) as T, headers: response.headers }
}

/** Expects that a request is refused with a status, and with these words. */
export async function expectRefused(
  answer: Promise<Pick<Answer, 'status' | 'body'>>,
  status: number,
  words: string,
): Promise<void> {
  const { status: found, body } = await answer
  expect([found, (body as ErrorBody).detail]).toEqual([status, expect.stringContaining(words)])
}

/** Lists deployments with the given query parameters, and expects a page. */
export async function list(base: string, parameters: Record<string, string | number> = {}): Promise<Page> {
  const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]))
  const { status, body } = await send<Page>(`${base}/v2/deployments?${query.toString()}`)
  expect(status).toBe(200)
  return body
}

/** Lists everything for the given query parameters, page by page by the returned offset. */
export async function listAll(base: string, parameters: Record<string, string | number> = {}) {
  const all: DeploymentAnswer[] = []
  for (let offset = 0; ;) {
    const page = await list(base, { limit: 100, ...parameters, offset })
    if (page.resources.length === 0) return all
    all.push(...page.resources)
    offset = page.offset
  }
}

/** Sends a creation with a body of any kind. */
export function post<T = DeploymentAnswer>(base: string, body: unknown, init: RequestInit = {}) {
  return send<T>(`${base}/v2/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  })
}

/** The smallest creation for each source. */
export function creation(
  source: Source = 'internal_source',
  changes: Partial<CreateRequest> = {},
): CreateRequest {
  const base = {
    name: `test-${randomUUID()}`,
    source,
    source_config: {},
    source_revision_config: {},
    secrets: [],
  }
  switch (source) {
    case 'repohost':
      return {
        ...base,
        source_config: { integration_id: randomUUID(), repo_url: 'https://github.com/northwind/agent' },
        source_revision_config: { repo_ref: 'main', graph_config_path: 'agent.json' },
        ...changes,
      }
    case 'external_docker':
      return {
        ...base,
        source_config: { resource_spec: {} },
        source_revision_config: { image_uri: 'registry.example/agent:1' },
        ...changes,
      }
    case 'internal_docker':
    case 'internal_source':
    case 'internal_template':
      return { ...base, ...changes }
  }
}

/** A revision as the service answers it. */
export interface Revision {
  id: string
  status: string
  status_message?: string
  source: string
  source_revision_config: Record<string, string | null>
  created_at: string
  updated_at: string
}

const json = { 'content-type': 'application/json' }

/** Creates a deployment, and returns the answer. */
export async function create(
  base: string,
  source: Source = 'internal_source',
  changes: Partial<CreateRequest> = {},
): Promise<DeploymentAnswer> {
  const { status, body } = await post(base, creation(source, changes))
  expect(status).toBe(201)
  return body
}

/**
 * Creates one deployment after another at each of these services, until `stop`. Gives the identifiers of those that
 * were accepted so far, and the statuses of other answers.
 */
export function keepCreating(...urls: string[]) {
  const accepted: string[] = []
  const refused: number[] = []
  let goesOn = true
  const work = urls.map(async (url) => {
    while (goesOn) {
      const { status, body } = await post(url, creation())
      if (status === 201) accepted.push(body.id)
      else refused.push(status)
    }
  })
  const stop = async (): Promise<void> => {
    goesOn = false
    await Promise.all(work)
  }
  return { accepted, refused, stop }
}

/** Sends a request about a deployment, with a body if one is given. */
export function ask<T = DeploymentAnswer>(
  base: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<T>> {
  const sent = body === undefined ? {} : { headers: json, body: JSON.stringify(body) }
  return send<T>(`${base}/v2/deployments/${path}`, { method, ...sent })
}

/** Deletes a deployment, and returns the status of the answer. */
export async function remove(base: string, id: string): Promise<number> {
  return (await exchange(`${base}/v2/deployments/${id}`, { method: 'DELETE' })).response.status
}

/** The revisions of a deployment, the newest first. */
export async function revisionsOf(base: string, id: string, query = ''): Promise<Revision[]> {
  const { status, body } = await ask<{ resources: Revision[] }>(base, 'GET', `${id}/revisions${query}`)
  expect(status).toBe(200)
  return body.resources
}

/** Waits until a deployment has no revision that is queued or in progress, and returns it. */
export async function settled(base: string, id: string): Promise<DeploymentAnswer> {
  const ends = ['DEPLOYED', 'INTERRUPTED']
  const isSettled = async (): Promise<boolean> =>
    (await revisionsOf(base, id)).every(({ status }) => ends.includes(status))
  await expect.poll(isSettled, { timeout: 20_000 }).toBe(true)
  return (await ask(base, 'GET', id)).body
}

/** An unused identifier. */
export const nobody = (): string => randomUUID()

/** Sends a GET with headers that fetch doesn't let one choose, or from an address of this machine. */
export function getWith(
  url: string,
  headers: Record<string, string> = {},
  options: RequestOptions = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    ;(url.startsWith('https:') ? getByTls : get)(url, { headers, ...options }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.once('error', reject)
      incoming.once('end', () => {
        resolve({ status: incoming.statusCode!, headers: incoming.headers, body: Buffer.concat(chunks) })
      })
    }).once('error', reject)
  })
}

/** The text of an error's answer. */
export const detailOf = ({ body }: { body: Buffer }): string =>
  (JSON.parse(body.toString()) as ErrorBody).detail

/** Sends bytes on a connection of its own. Gives all that is answered until the service closes it. */
export function sendRaw(url: string, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setEncoding('utf8').on('data', (piece: string) => (answer += piece))
    socket.once('error', reject)
    socket.once('close', () => resolve(answer))
  })
}
