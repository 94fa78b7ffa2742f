import { readdirSync, readFileSync } from 'node:fs'
import type * as promises from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type ServiceHere, startService } from '../../support/service/service-here'
import { type ErrorBody, send } from '../client'
import { ask, create, revisionsOf } from '../life/requests'

// Archives on a full disk, and on a failing one.

/** The error code with which the next writes and renames of archives fail; null if they work. */
const fault = vi.hoisted(() => ({ code: null as string | null, of: 'write' }))

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof promises>()
  const failing = (): never => {
    throw Object.assign(new Error('as on a full disk'), { code: fault.code, syscall: fault.of })
  }
  const open: typeof real.open = async (...parameters) => {
    const handle = await real.open(...parameters)
    const writeFile = handle.writeFile.bind(handle)
    handle.writeFile = async (...written) => {
      if (fault.code === null || fault.of !== 'write') return writeFile(...written)
      // Part of it still fits.
      await handle.write(Buffer.from([0x1f]))
      return failing()
    }
    return handle
  }
  const rename: typeof real.rename = async (from, to) => {
    if (fault.code !== null && fault.of === 'rename') failing()
    await real.rename(from, to)
  }
  return { ...real, open, rename, default: { ...real, open, rename } }
})

const archive = gzipSync('the source of an agent')
let service: ServiceHere

beforeEach(async () => {
  service = await startService({ provisionMs: 100 })
})
afterEach(async () => {
  fault.code = null
  await service.dispose()
})

/** The files below the folder of archives. */
function files(): string[] {
  const folder = join(service.data, 'archives')
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

it.each([
  ['ENOSPC', 'write', 507, 'disk is full'],
  ['EDQUOT', 'write', 507, 'disk is full'],
  ['EIO', 'write', 503, 'archives'],
  ['ENOSPC', 'rename', 507, 'disk is full'],
] as const)(
  'an upload that meets %s while it is to %s leaves nothing, and can be repeated',
  async (code, of, status, detail) => {
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
    Object.assign(fault, { code, of })
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
  },
)
