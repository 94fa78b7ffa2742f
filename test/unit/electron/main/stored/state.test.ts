import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, succeed } from '@contract'
import type { StateRequest } from '../../../../../electron/cache/protocol'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createStateHandler } from '../../../../../electron/cache/state'
import { locked } from '../../../../../electron/main/processes/keychain'
import type { RunningStore } from '../../../../../electron/main/processes/store-process'
import { createState } from '../../../../../electron/main/stored/state'
import { bytesIn, stateIn, stateKey, storedIn } from '../../../../support/main/state'
import { temporaryFolder } from '../../../../support/temporary-folder'

let folder: string
let notices: string[]
beforeEach(() => {
  folder = temporaryFolder()
  notices = []
})

const row = { id: 'one', text: 'a confidential text' }
const notice = (text: string): void => void notices.push(text)
const noKey = async () => fail(locked())
const asides = (): string[] =>
  readdirSync(folder).filter((name) => /^state\.db\.damaged-[^-]+-.*Z$/.test(name))

it('has what was written at the next start, in its order, and none of it is readable in the files', async () => {
  const first = stateIn(folder)
  for (const id of ['b', 'a', 'c']) await first.write('drafts', [{ ...row, id }])
  await first.write('drafts', [
    { id: 'b', text: 'changed' },
    { id: 'c', text: null },
  ])
  expect(bytesIn(folder)).not.toContain('confidential')
  const read = await stateIn(folder).read('drafts')
  expect(read).toMatchObject({
    value: {
      rows: [
        ['b', 'changed'],
        ['a', row.text],
      ],
    },
  })
})

it('asks the keychain for nothing before there is something to write', async () => {
  const keyFor = vi.fn(async () => succeed(stateKey))
  const state = stateIn(folder, { keyFor })
  expect(await state.read('personal')).toMatchObject({ value: { rows: [] } })
  expect(keyFor).not.toHaveBeenCalled()
  await state.write('personal', [row])
  expect(keyFor).toHaveBeenCalledWith('state-key', { stored: false, byOperator: false })
})

it('says that the key is there once a keychain that was given up answers, and only then', async () => {
  const unlockedLate = vi.fn()
  const prompt = stateIn(folder, { unlockedLate })
  await prompt.write('drafts', [row])
  expect(unlockedLate).not.toHaveBeenCalled()

  let answer: (key: string) => void = () => undefined
  const answered = new Promise<string>((resolve) => (answer = resolve))
  const slow = stateIn(folder, {
    unlockedLate,
    keyFor: async () => succeed(await answered),
    timeLimits: { plain: 1, sealed: 1 },
  })
  expect(await slow.read('drafts')).toMatchObject({ failure: { code: 'keychain-unresponsive' } })
  answer(stateKey)
  await vi.waitFor(() => expect(unlockedLate).toHaveBeenCalledOnce())
  expect(await slow.read('drafts')).toMatchObject({ value: { rows: [[row.id, row.text]] } })
})

it('writes only the journal without a key, and encrypts it once there is one', async () => {
  let isLocked = true
  const state = stateIn(folder, { keyFor: async () => (isLocked ? fail(locked()) : succeed(stateKey)) })
  expect(await state.write('drafts', [row])).toMatchObject({ failure: { code: 'keychain-locked' } })
  expect(await state.write('journal', [row])).toMatchObject({ ok: true })
  expect(bytesIn(folder)).toContain(row.text)
  isLocked = false
  expect(await state.unlock(false)).toMatchObject({ ok: true })
  expect(storedIn(folder, 'journal')).toEqual([[row.id, row.text]])
  const without = stateIn(folder, { keyFor: noKey })
  expect(await without.read('journal')).toMatchObject({ value: { rows: [], isLocked: true } })
  expect(await without.read('drafts')).toMatchObject({ failure: { code: 'keychain-locked' } })
})

describe('a file that cannot be used', () => {
  it('is renamed, told once and replaced if it is damaged', async () => {
    const state = stateIn(folder)
    await state.write('drafts', [row])
    for (const suffix of ['-wal', '-shm']) rmSync(join(folder, `state.db${suffix}`), { force: true })
    writeFileSync(
      join(folder, 'state.db'),
      'no database at all, but long enough to have a header '.repeat(20),
    )
    const again = stateIn(folder, { notice })
    expect(await again.read('drafts')).toMatchObject({ value: { rows: [] } })
    expect(notices).toEqual([expect.stringContaining('its file is damaged')])
    expect(asides()).toHaveLength(1)
    expect(await again.write('drafts', [row])).toMatchObject({ ok: true })
    expect(await stateIn(folder, { notice }).read('drafts')).toMatchObject({
      value: { rows: [[row.id, row.text]] },
    })
    expect(notices).toHaveLength(1)
  })

  it('is renamed, told once and replaced if it has another key', async () => {
    await stateIn(folder).write('drafts', [row])
    const other = stateIn(folder, { notice, keyFor: async () => succeed('cd'.repeat(32)) })
    expect(await other.read('drafts')).toMatchObject({ value: { rows: [] } })
    expect(notices).toEqual([expect.stringContaining("the keychain doesn't have its key any more")])
    expect(asides()).toHaveLength(1)
  })
})

it('sends a request again if its process ends, and opens the file there first', async () => {
  let processes = 0
  let ends = 1
  const handlers = new WeakMap<RunningStore, (request: StateRequest) => unknown>()
  let running: RunningStore | null = null
  const state = createState({
    file: join(folder, 'state.db'),
    keys: { keyFor: async () => succeed(stateKey) },
    notice,
    unlockedLate: () => undefined,
    process: {
      start: () => {
        if (!running) {
          running = { process: {} as RunningStore['process'], waiting: new Map(), timer: null }
          handlers.set(running, createStateHandler())
          processes += 1
        }
        return running
      },
      async sendState(to, request) {
        if (request.op === 'write' && ends-- > 0) {
          running = null
          return null
        }
        return handlers.get(to)!(request) as never
      },
    },
  })
  expect(await state.write('drafts', [row])).toMatchObject({ ok: true })
  expect(processes).toBe(2)
  expect(storedIn(folder, 'drafts')).toEqual([[row.id, row.text]])
})
