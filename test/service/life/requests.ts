import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { CreateRequest, Source } from '@contract'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import { type Answer, creation, exchange, post, send } from '../client'

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
