import type * as FileSystem from 'node:fs/promises'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { closeToOthers } from '../../../../../electron/main/files/permissions'
import { temporaryFolder } from '../../../../support/temporary-folder'

/** By name: what the system denies this user. */
const refused = vi.hoisted(() => ({ readdir: '', chmod: '' }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof FileSystem>()
  const unless = <Rest extends unknown[], T>(
    name: 'readdir' | 'chmod',
    work: (path: string, ...rest: Rest) => Promise<T>,
  ) => {
    return (path: string, ...rest: Rest): Promise<T> =>
      refused[name] !== '' && path.endsWith(refused[name])
        ? Promise.reject(Object.assign(new Error('refused'), { code: 'EACCES' }))
        : work(path, ...rest)
  }
  return {
    ...real,
    readdir: unless('readdir', (path: string) => real.readdir(path)),
    chmod: unless('chmod', (path: string, mode: number) => real.chmod(path, mode)),
  }
})

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => {
  Object.assign(refused, { readdir: '', chmod: '' })
})

it("distinguishes what others can read from what it couldn't examine", async () => {
  const logs = join(folder, 'logs')
  const services = join(folder, 'built-in-service')
  await mkdir(logs, { mode: 0o700 })
  await mkdir(services)
  await chmod(services, 0o755)
  Object.assign(refused, { readdir: 'logs' })
  await expect(closeToOthers(folder)).rejects.toThrow(
    new Error(`Slipway couldn't check whether others can read these: ${logs} (EACCES)`),
  )
  await chmod(services, 0o755)
  Object.assign(refused, { chmod: 'built-in-service' })
  await expect(closeToOthers(folder)).rejects.toThrow(
    `These can be read by others: ${services} (EACCES). Slipway couldn't check whether others can read these: ${logs} (EACCES)`,
  )
})
