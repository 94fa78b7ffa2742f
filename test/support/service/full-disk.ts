import { randomBytes } from 'node:crypto'
import type { expect } from 'vitest'
import type { RunningService } from './service-process'
import { creation, type ErrorBody, list, listAll, post, send } from './client'

// A disk that is full: what services on both databases do then.

/** A creation of this many bytes, which can't be compressed. */
export const creationOf = (bytes: number) =>
  creation('internal_source', {
    source_config: { resource_spec: { labels: { text: randomBytes((bytes * 3) / 4).toString('base64') } } },
  })

export const idsOf = async (url: string): Promise<string[]> => (await listAll(url)).map(({ id }) => id)
export const readyOf = (url: string) => send<ErrorBody>(`${url}/ready`)

/** Creates large deployments until one is refused. Returns the refusal, what was accepted, and /ready before the end. */
export async function fill(url: string) {
  const accepted: string[] = []
  let readiness = 200
  for (;;) {
    const { status, body } = await post<ErrorBody & { id: string }>(url, creationOf(900_000))
    if (status !== 201) return { status, detail: body.detail, accepted, readiness }
    accepted.push(body.id)
    readiness = (await readyOf(url)).status
  }
}

/** Expects that the service has recovered: everything accepted exists and is READY, and more is accepted. */
export async function expectRecovered(
  { url, log }: RunningService,
  accepted: readonly string[],
  has: typeof expect,
): Promise<void> {
  await has.poll(async () => (await readyOf(url)).status, { timeout: 30_000 }).toBe(200)
  const { status, body } = await post(url, creationOf(900_000))
  has(status).toBe(201)
  const found = await idsOf(url)
  has([...accepted, body.id].filter((id) => !found.includes(id))).toEqual([])
  const ready = async () => (await list(url, { status: 'READY', limit: 100 })).resources.length
  await has.poll(ready, { timeout: 30_000 }).toBe(found.length)
  has(log()).not.toMatch(/ 500 |\n\s+at /)
}
