import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, failure, type KeychainState, type Outcome, succeed } from '@contract'
import { lastFilterLimits } from '@contract/app/personal/last-filters'
import type { PersonalFile } from '@contract/ipc/personal-file'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { encrypt } from '../../../../../../electron/main/files/encryption'
import type { Personal } from '../../../../../../electron/main/stored/personal'
import { noContent } from '../../../../../../electron/main/stored/personal/content'
import { createWriteBehind } from '../../../../../../electron/main/stored/personal/write-behind'
import { openPersonalIn, personalKey } from '../../../../../support/main/personal-file'
import { temporaryFolder } from '../../../../../support/temporary-folder'

/** A file in memory, whose next write may fail. */
function fakeFile() {
  const state = { content: noContent, fails: null as string | null, writes: 0 }
  const personal: Pick<Personal, 'content' | 'change'> = {
    content: () => Promise.resolve(succeed(state.content)),
    change: async <Value>(
      make: (content: PersonalFile) => Outcome<{ content: PersonalFile; value: Value }>,
    ) => {
      if (state.fails) return fail(failure(state.fails as never, 'No.'))
      const made = make(state.content)
      if (!made.ok) return made
      if (made.value.content !== state.content) state.writes += 1
      state.content = made.value.content
      return succeed(made.value.value)
    },
  }
  return { state, personal }
}

const recent = (id: string): PersonalFile['recent'][number] => ({ kind: 'command', id, of: null })
/** A change that records a command, and may be made twice. */
const note =
  (id: string) =>
  (content: PersonalFile): PersonalFile => ({
    ...content,
    recent: [recent(id), ...content.recent.filter((one) => one.id !== id)],
  })
const ids = (content: PersonalFile): string[] => content.recent.map(({ id }) => id)

describe('changes that are written behind', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('are visible at once, and on the disk with one write after a pause', async () => {
    const { state, personal } = fakeFile()
    const file = createWriteBehind(personal, () => 'available', 2_000)
    for (const id of ['a', 'b', 'c']) file.queue(id, note(id))
    const content = await file.content()
    expect(content.ok && ids(content.value)).toEqual(['c', 'b', 'a'])
    expect(state.writes).toBe(0)
    await vi.advanceTimersByTimeAsync(2_000)
    expect([state.writes, ids(state.content)]).toEqual([1, ['c', 'b', 'a']])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(state.writes).toBe(1)
  })

  it('replace those with the same key, however often they come', async () => {
    const { state, personal } = fakeFile()
    const file = createWriteBehind(personal, () => 'available', 2_000)
    for (let count = 0; count < 1_000; count += 1) {
      file.queue('filters', note(`text ${count}`))
      await vi.advanceTimersByTimeAsync(10)
    }
    await vi.advanceTimersByTimeAsync(2_000)
    expect(state.writes).toBeLessThan(10)
    expect(ids(state.content)[0]).toBe('text 999')
  })

  it('are written before Slipway quits', async () => {
    const { state, personal } = fakeFile()
    const file = createWriteBehind(personal, () => 'available')
    file.queue('a', note('a'))
    await file.flush()
    expect(ids(state.content)).toEqual(['a'])
  })

  it('that the disk refuses stay visible, and are written with the next one', async () => {
    const { state, personal } = fakeFile()
    const file = createWriteBehind(personal, () => 'available', 2_000)
    state.fails = 'disk-full'
    file.queue('a', note('a'))
    await vi.advanceTimersByTimeAsync(2_000)
    const content = await file.content()
    expect(content.ok && ids(content.value)).toEqual(['a'])
    state.fails = null
    file.queue('b', note('b'))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(ids(state.content)).toEqual(['b', 'a'])
  })

  it('that were made while the others were written are not lost', async () => {
    const { state, personal } = fakeFile()
    const file = createWriteBehind(personal, () => 'available', 2_000)
    file.queue('filters', note('early'))
    const writing = file.flush()
    file.queue('filters', note('late'))
    await writing
    await vi.advanceTimersByTimeAsync(2_000)
    expect(ids(state.content)).toEqual(['late', 'early'])
  })

  it.each(['locked', 'missing', 'unresponsive'] satisfies KeychainState['state'][])(
    'call no keychain that is %s, and wait for it',
    async (closed) => {
      const { state, personal } = fakeFile()
      let keychain: KeychainState['state'] = closed
      const change = vi.spyOn(personal, 'change')
      const file = createWriteBehind(personal, () => keychain)
      file.queue('a', note('a'))
      await file.flush()
      expect(change).not.toHaveBeenCalled()
      keychain = 'available'
      await file.flush()
      expect(ids(state.content)).toEqual(['a'])
    },
  )

  it('call once a keychain that was available and refuses', async () => {
    const { state, personal } = fakeFile()
    const change = vi.spyOn(personal, 'change')
    const file = createWriteBehind(personal, () => 'available')
    state.fails = 'keychain-locked'
    for (const id of ['a', 'b', 'c']) {
      file.queue(id, note(id))
      await file.flush()
    }
    expect(change).toHaveBeenCalledOnce()
  })

  it('call once a keychain that was not called before', async () => {
    const { state, personal } = fakeFile()
    let keychain: KeychainState['state'] = 'unknown'
    const change = vi.spyOn(personal, 'change')
    const file = createWriteBehind(personal, () => keychain)
    state.fails = 'keychain-locked'
    file.queue('a', note('a'))
    await file.flush()
    await file.flush()
    expect(change).toHaveBeenCalledTimes(1)
    state.fails = null
    keychain = 'available'
    await file.flush()
    expect(ids(state.content)).toEqual(['a'])
  })

  it('take a limited amount of memory', async () => {
    const { personal } = fakeFile()
    const file = createWriteBehind(personal, () => 'locked')
    for (let count = 0; count < 1_000; count += 1) file.queue(`key ${count}`, note(`id ${count}`))
    const content = await file.content()
    expect(content.ok && ids(content.value)).toHaveLength(100)
    expect(content.ok && ids(content.value)[0]).toBe('id 999')
  })
})

describe('the file', () => {
  let folder: string
  beforeEach(() => {
    folder = temporaryFolder()
  })

  const put = (content: object): Promise<void> =>
    writeFile(
      join(folder, 'personal.sealed'),
      encrypt(JSON.stringify(content), personalKey, 'personal.sealed'),
    )
  const annotation = { deploymentId: 'd', name: 'agent', favourite: true, labels: [], note: '' }
  const service = { environmentId: 'e', salt: 's', service: 'hash', annotations: [annotation] }

  it('of an earlier version reads as one without how Slipway was left', async () => {
    await put({ version: 1, services: [service] })
    const content = await openPersonalIn(folder).content()
    expect(content).toMatchObject({ value: { services: [service], lastFilters: [], recent: [] } })
  })

  it.each([
    { lastFilters: [{ nothing: 1 }], recent: 'none' },
    {
      lastFilters: Array.from({ length: lastFilterLimits.services + 1 }, () => 7),
      recent: [{ kind: 'new' }],
    },
  ])('keeps notes whatever it says about how Slipway was left', async (left) => {
    await put({ version: 1, services: [service], ...left })
    const content = await openPersonalIn(folder).content()
    expect(content).toMatchObject({ value: { services: [service], lastFilters: [], recent: [] } })
    expect(await readdir(folder)).toEqual(['personal.sealed'])
  })

  it('of a newer version stays as it is', async () => {
    await put({ version: 2, somethingElse: true })
    const before = await readFile(join(folder, 'personal.sealed'))
    const file = createWriteBehind(openPersonalIn(folder), () => 'available')
    file.queue('a', note('a'))
    await file.flush()
    expect(await readFile(join(folder, 'personal.sealed'))).toEqual(before)
    expect(await readdir(folder)).toEqual(['personal.sealed'])
  })
})
