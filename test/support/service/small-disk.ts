import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { expect } from 'vitest'
import { creation, type ErrorBody, list, listAll, post, send } from './client'
import { type RunningService, temporaryFolder } from './service-process'

// A disk that is full, and what services on both databases do then.

/**
 * A small disk in memory, with a file that takes some of it. An ordinary user may mount it in a namespace of their own.
 */
interface SmallDisk {
  /** The folder that becomes it. */
  folder: string
  megabytes: number
  /** Megabytes of `ballast`. */
  ballast: number
}

const inNamespace = ['unshare', '--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child']

const mount =
  'mount -t tmpfs -o "size=$1m" tmpfs "$0" && head -c "$2"000000 /dev/zero > "$0/ballast" && shift 2 && exec "$@"'

/** The command that runs the one after it on a small disk. Once it is killed, so is all that it runs. */
export function onSmallDisk({ folder, megabytes, ballast }: SmallDisk): string[] {
  return [...inNamespace, 'sh', '-c', mount, folder, String(megabytes), String(ballast)]
}

/** Whether this system lets its users have namespaces. */
export function canMount(): boolean {
  const folder = temporaryFolder()
  const [program, ...args] = onSmallDisk({ folder, megabytes: 8, ballast: 1 })
  const { status } = spawnSync(program!, [...args, 'true'])
  rmSync(folder, { recursive: true })
  return status === 0
}

/** Removes the ballast, as an operator would, through a process that sees the disk. */
export function makeRoom(pid: number, { folder }: Pick<SmallDisk, 'folder'>): void {
  rmSync(`/proc/${pid}/root${folder}/ballast`)
}

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
