import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { roomIn } from '../../../../../electron/service/archives/room'
import { temporaryFolder } from '../../../../support/temporary-folder'

let folder: string

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  folder = temporaryFolder()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Puts an archive of a size into the folder of a tenant, as another instance does. */
function put(tenant: string, name: string, bytes: number): void {
  mkdirSync(join(folder, tenant, 'shared'), { recursive: true })
  writeFileSync(join(folder, tenant, 'shared', name), Buffer.alloc(bytes))
}

describe('room for archives', () => {
  it('is available until their maximum number or size is reached, over all tenants', async () => {
    put('one', 'a', 10)
    put('two', 'b', 20)
    writeFileSync(join(folder, 'ticket-key'), 'key')
    const room = roomIn(folder, { count: 3, bytes: 100 })
    expect(await room.reserve(71)).toBe('no room')
    const release = await room.reserve(70)
    expect(await room.reserve(0)).toBe('too many')
    if (typeof release === 'function') release(false)
    expect(await room.reserve(70)).toBeTypeOf('function')
  })

  it('shrinks by what was saved, and grows again after a deletion', async () => {
    const room = roomIn(folder, { count: 10, bytes: 100 })
    const release = await room.reserve(60)
    put('one', 'a', 60)
    if (typeof release === 'function') release(true)
    expect(await room.reserve(60)).toBe('no room')
    rmSync(join(folder, 'one'), { recursive: true })
    vi.advanceTimersByTime(5_000)
    expect(await room.reserve(60)).toBeTypeOf('function')
  })
})
