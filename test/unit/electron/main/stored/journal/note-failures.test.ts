import { fail, failure, type FailureCode, succeed } from '@contract'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { leadsTo } from '../../../../../../electron/main/environments/model/service-identity'
import type { HttpTarget } from '../../../../../../electron/main/http/types'
import type { CalledPlace } from '../../../../../../electron/main/stored/journal'
import { createFailureNotes } from '../../../../../../electron/main/stored/journal/note-failures'

const noteFailure = vi.fn(() => Promise.resolve())
let quits = false
let target: HttpTarget | null = null

const noteFailures = createFailureNotes({
  journal: { noteFailure },
  environments: {
    destination: () => (target === null ? null : { id: 'e', name: 'e', target, service: 's' }),
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
  target = null
})

const failing = (code: FailureCode) =>
  noteFailures('List deployments', () => Promise.resolve(fail(failure(code, 'No.'))))

describe('a call about an environment', () => {
  it('is recorded with its failure, which the page gets', async () => {
    const outcome = await failing('connection-lost')(input, new AbortController().signal)
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'connection-lost' } })
    expect(noteFailure).toHaveBeenCalledOnce()
    expect(noteFailure).toHaveBeenCalledWith(
      { environmentId: 'e', environmentName: 'e', account: null },
      'List deployments',
      expect.any(Date),
      expect.objectContaining({ code: 'connection-lost' }),
    )
  })

  it('belongs to the account that was called, even if the environment is edited meanwhile', async () => {
    const called: HttpTarget = {
      environmentId: 'e',
      baseUrl: 'https://one.example',
      headers: { 'X-Key': 'k' },
    }
    target = called
    await noteFailures('List deployments', () => {
      target = { ...called, baseUrl: 'https://other.example' }
      return Promise.resolve(fail(failure('unauthorised', 'No.')))
    })(input, new AbortController().signal)
    const [place] = noteFailure.mock.calls[0] as unknown as [CalledPlace]
    expect(JSON.stringify(place)).not.toContain('example')
    expect(place.account && leadsTo(called)(place.account)).toBe(true)
    expect(place.account && leadsTo(target)(place.account)).toBe(false)
  })

  it('is not recorded if it succeeds, if the operator must act first, or if nobody waits for it', async () => {
    await noteFailures('List deployments', () => Promise.resolve(succeed(1)))(
      input,
      new AbortController().signal,
    )
    await failing('invalid-input')(input, new AbortController().signal)
    await failing('connection-lost')(input, AbortSignal.abort())
    expect(noteFailure).not.toHaveBeenCalled()
  })

  it('is not recorded if it fails because Slipway is quitting', async () => {
    const answer = noteFailures('List deployments', () => {
      // The built-in service ends during the request.
      quits = true
      return Promise.resolve(fail(failure('connection-lost', 'No.')))
    })
    expect(await answer(input, new AbortController().signal)).toMatchObject({ ok: false })
    expect(noteFailure).not.toHaveBeenCalled()
  })
})
