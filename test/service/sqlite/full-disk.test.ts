import type * as libsql from 'libsql'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ServiceHere, startService } from '../../support/service/service-here'
import {
  ask,
  create,
  creation,
  type ErrorBody,
  list,
  post,
  revisionsOf,
  send,
} from '../../support/service/client'
import { readdirSync, readFileSync } from 'node:fs'
import type * as promises from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

// A disk that can't be written to, as SQLite and the system report it.

/** The connections to databases in this process. */
const opened = vi.hoisted(() => [] as { pragma: (text: string) => unknown }[])

vi.mock('libsql', async (importOriginal) => {
  const { default: Real } = await importOriginal<typeof libsql>()
  class Noted extends Real {
    constructor(...parameters: ConstructorParameters<typeof Real>) {
      super(...parameters)
      opened.push(this)
    }
  }
  return { default: Noted }
})

/** The error code with which the next writes of archives fail; null if they work. */
const fault = vi.hoisted(() => ({ code: null as string | null }))

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof promises>()
  const open: typeof real.open = async (...parameters) => {
    const handle = await real.open(...parameters)
    const writeFile = handle.writeFile.bind(handle)
    handle.writeFile = async (...written) => {
      if (fault.code === null) return writeFile(...written)
      // Part of it still fits.
      await handle.write(Buffer.from([0x1f]))
      throw Object.assign(new Error('as on a full disk'), { code: fault.code, syscall: 'write' })
    }
    return handle
  }
  return { ...real, open, default: { ...real, open } }
})

const provisionMs = 1_000
let service: ServiceHere

beforeEach(async () => {
  opened.length = 0
  service = await startService({ provisionMs })
})
afterEach(() => service.dispose())

const setReadOnly = (isReadOnly: boolean): void =>
  opened.forEach((connection) => connection.pragma(`query_only = ${isReadOnly ? 'on' : 'off'}`))

it('readers see a deployment become READY on time, also while nothing can be written', async () => {
  const { body } = await post(service.url, creation())
  setReadOnly(true)
  const statuses = async () => (await list(service.url)).resources.map(({ status }) => status)
  await expect.poll(statuses, { timeout: 20_000 }).toEqual(['READY'])
  const [ready] = (await list(service.url)).resources
  expect(ready).toEqual({
    ...body,
    status: 'READY',
    updated_at: new Date(Date.parse(body.created_at) + provisionMs).toISOString(),
    active_revision_id: body.latest_revision_id,
  })
  expect((await list(service.url, { status: 'READY' })).resources).toEqual([ready])
  expect((await send(`${service.url}/v2/deployments/${body.id}`)).body).toEqual(ready)
})

describe('archives on a full disk, and on a failing one', () => {
  const archive = gzipSync('the source of an agent')

  afterEach(() => void (fault.code = null))

  /** The files below the folder of archives. */
  function files(): string[] {
    const folder = join(service.data, 'archives')
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  }

  it.each([
    ['ENOSPC', 507, 'disk is full'],
    ['EDQUOT', 507, 'disk is full'],
    ['EIO', 503, 'archives'],
  ] as const)('an upload that meets %s leaves nothing, and can be repeated', async (code, status, detail) => {
    const { id } = await create(service.url)
    const { body: address } = await ask<{ upload_url: string; object_path: string }>(
      service.url,
      'POST',
      `${id}/upload-url`,
    )
    const upload = () =>
      send<ErrorBody>(address.upload_url, {
        method: 'PUT',
        headers: { 'content-type': 'application/gzip' },
        body: new Uint8Array(archive),
      })
    fault.code = code
    const refused = await upload()
    expect([refused.status, refused.body.detail]).toEqual([status, expect.stringContaining(detail)])
    expect(files()).toEqual([])
    const naming = { source_revision_config: { source_tarball_path: address.object_path } }
    expect((await ask(service.url, 'PATCH', id, naming)).status).toBe(400)
    expect(await revisionsOf(service.url, id)).toHaveLength(1)

    fault.code = null
    expect((await upload()).status).toBe(200)
    expect(files().map((file) => readFileSync(file).equals(archive))).toEqual([true])
    expect((await ask(service.url, 'PATCH', id, naming)).status).toBe(200)
  })
})
