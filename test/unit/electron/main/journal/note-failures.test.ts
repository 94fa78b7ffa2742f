import { fail, failure, type FailureCode, succeed } from '@contract'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createFailureNotes } from '../../../../../electron/main/journal/note-failures'

const noteFailure = vi.fn(() => Promise.resolve())
let quits = false

const noteFailures = createFailureNotes({
  journal: { noteFailure },
  environments: {
    state: () => ({
      environments: [],
      currentEnvironmentId: 'e',
      keychain: { state: 'unknown', message: null },
    }),
  },
  isQuitting: () => quits,
  report: (error) => {
    throw error
  },
})

const input = { environmentId: 'e' }

beforeEach(() => {
  noteFailure.mockClear()
  quits = false
})

const failing = (code: FailureCode) =>
  noteFailures('List deployments', () => Promise.resolve(fail(failure(code, 'No.'))))

describe('a call about an environment', () => {
  it('is noted with its failure, which the page gets', async () => {
    const outcome = await failing('connection-lost')(input, new AbortController().signal)
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'connection-lost' } })
    expect(noteFailure).toHaveBeenCalledOnce()
    expect(noteFailure).toHaveBeenCalledWith(
      { environmentId: 'e', environmentName: 'e' },
      'List deployments',
      expect.any(Date),
      expect.objectContaining({ code: 'connection-lost' }),
    )
  })

  it('is not noted if it succeeds, if the user must act first, or if nobody waits for it', async () => {
    await noteFailures('List deployments', () => Promise.resolve(succeed(1)))(
      input,
      new AbortController().signal,
    )
    await failing('invalid-input')(input, new AbortController().signal)
    await failing('connection-lost')(input, AbortSignal.abort())
    expect(noteFailure).not.toHaveBeenCalled()
  })

  it('is not noted if it fails because Slipway is quitting', async () => {
    const answer = noteFailures('List deployments', () => {
      // The built-in service ends while it is asked.
      quits = true
      return Promise.resolve(fail(failure('connection-lost', 'No.')))
    })
    expect(await answer(input, new AbortController().signal)).toMatchObject({ ok: false })
    expect(noteFailure).not.toHaveBeenCalled()
  })
})
