import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fail, failure, nextPage, type Outcome, summarise, succeed } from '@contract'
import { listedDeploymentSchema } from '../../../../../../../electron/contract/deployment-api/deployment'
import {
  createExports,
  type ExportOptions,
  type Exports,
} from '../../../../../../../electron/main/features/files/export'
import { nodeFiles } from '../../../../../../../electron/main/files'
import { rememberUnfinished } from '../../../../../../../electron/main/window/dialogs/unfinished-files'
import { several } from '../../../../../../support/builders/cached-deployments'
import { temporaryFolder } from '../../../../../../support/temporary-folder'

const rows = several(250).map((answered) => summarise(listedDeploymentSchema.parse(answered)))
const environmentId = 'environment'
const request = { list: { from: 'service', filters: {} }, format: 'json', separator: ',' } as const

let folder = ''
let path = ''
let data = ''
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'list.json')
  data = temporaryFolder()
})

const page: ExportOptions['page'] = ({ query: { limit, offset } }) => {
  const deployments = rows.slice(offset, offset + limit)
  const received = deployments.length
  const next = nextPage({ limit, offset, received, returnedOffset: offset + received })
  const answer = { environmentId, offset, received, deployments, unreadable: [], nextOffset: next.offset }
  return Promise.resolve(succeed({ ...answer, end: next.end, fetchedAt: '2026-11-23T00:00:00.000Z' }))
}

function exportsWith(more: Partial<ExportOptions>): Exports {
  const cache = { ask: () => Promise.reject(new Error('not asked')) }
  const options = {
    page,
    cache,
    askWhere: () => Promise.resolve(path),
    progress: () => {},
    nameOf: () => 'Production',
    serviceOf: () => 'one',
    unfinished: rememberUnfinished(data),
    showFile: () => {},
    ...more,
  }
  return createExports(options)
}

const exportWith = (
  more: Partial<ExportOptions>,
  signal = new AbortController().signal,
): Promise<Outcome<unknown>> => exportsWith(more).save({ environmentId, request }, signal)

describe('an export', () => {
  it('saves the whole list where the operator chooses', async () => {
    const done = { path, written: rows.length, unreadable: 0, mayBeIncomplete: false }
    expect(await exportWith({})).toEqual({ ok: true, value: done })
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(rows)
    expect(await readdir(folder)).toEqual(['list.json'])
  })

  it.each([
    ['Production (EU)', 'deployments-Production-EU-2026-01-05'],
    ['../../etc/passwd', 'deployments-etc-passwd-2026-01-05'],
    ['///', 'deployments-environment-2026-01-05'],
  ])('suggests a name that contains the environment %s and the date', async (name, suggested) => {
    vi.setSystemTime(new Date(2026, 0, 5, 23, 59))
    const askWhere = vi.fn(() => Promise.resolve(null))
    await exportWith({ nameOf: () => name, askWhere })
    vi.useRealTimers()
    expect(askWhere).toHaveBeenCalledWith(suggested, request.format)
  })

  it('leaves an existing file as it was if it fails, is cancelled or the disk is full', async () => {
    await writeFile(path, 'before')
    const secondFails: ExportOptions['page'] = (input, signal) =>
      input.query.offset === 0
        ? page(input, signal)
        : Promise.resolve(fail(failure('offline', 'No connection.')))
    expect(await exportWith({ page: secondFails })).toMatchObject({ ok: false, failure: { code: 'offline' } })

    const controller = new AbortController()
    const cancelling: ExportOptions['page'] = (input, signal) => {
      controller.abort(failure('cancelled', 'Cancelled.'))
      return page(input, signal)
    }
    const cancelled = await exportWith({ page: cancelling }, controller.signal)
    expect(cancelled).toMatchObject({ ok: false, failure: { code: 'cancelled' } })

    const services = ['one', 'other']
    const edited = await exportWith({ serviceOf: () => services.shift() ?? 'other' })
    expect(edited).toMatchObject({ ok: false, failure: { code: 'environment-changed' } })

    const files: ExportOptions['files'] = {
      ...nodeFiles,
      async open(name, how) {
        const file = await nodeFiles.open(name, how)
        const full = (): Promise<never> =>
          Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
        return { ...file, sync: full }
      },
    }
    expect(await exportWith({ files })).toMatchObject({ ok: false, failure: { code: 'disk-full' } })

    const atTheEnd = new AbortController()
    const slow: ExportOptions['files'] = {
      ...nodeFiles,
      async open(name, how) {
        const file = await nodeFiles.open(name, how)
        const sync = (): Promise<void> => {
          atTheEnd.abort(failure('cancelled', 'Cancelled.'))
          return file.sync()
        }
        return { append: (bytes) => file.append(bytes), close: () => file.close(), sync } as typeof file
      },
    }
    expect(await exportWith({ files: slow }, atTheEnd.signal)).toMatchObject({
      failure: { code: 'cancelled' },
    })

    expect(await readdir(folder)).toEqual(['list.json'])
    expect(await readFile(path, 'utf8')).toBe('before')
  })

  it('has its file removed at the next start if Slipway is killed', async () => {
    const controller = new AbortController()
    let left: string[] = []
    const killed: ExportOptions['page'] = async (input, signal) => {
      left = await readdir(folder)
      // The next start.
      await rememberUnfinished(data).removeLeftOver()
      expect(await readdir(folder)).toEqual([])
      expect(await readdir(data)).toEqual([])
      controller.abort(failure('cancelled', 'Cancelled.'))
      return page(input, signal)
    }
    expect(await exportWith({ page: killed }, controller.signal)).toMatchObject({
      failure: { code: 'cancelled' },
    })
    expect(left).toEqual([expect.stringMatching(/^\.slipway-[\da-f-]{36}\.part$/)])
  })
})
