import { failure, fail, succeed } from '@contract'
import { expect, it } from 'vitest'
import { Connections } from '../../../../../electron/main/http/connections'

it("changes with answers and network errors, and not if Slipway didn't send the request", () => {
  const connections = new Connections(() => undefined)
  const state = (outcome: Parameters<Connections['note']>[1]) => {
    connections.note('e', outcome)
    return connections.of('e').state
  }
  expect(state(fail(failure('internal', 'No session.', { sent: 'no' })))).toBe('unknown')
  expect(state(fail(failure('offline', 'Nothing there.', { sent: 'no' })))).toBe('offline')
  expect(state(fail(failure('environment-changed', 'Edited.', { sent: 'no' })))).toBe('offline')
  expect(state(fail(failure('conflict', 'Taken.', { sent: 'answered', status: 409 })))).toBe('online')
  expect(state(fail(failure('unauthorised', 'No.', { sent: 'answered', status: 401 })))).toBe('denied')
  expect(connections.of('e').reason).toBe('No.')
  // A refused operation proves nothing about others.
  expect(state(fail(failure('forbidden', 'Not this.', { sent: 'answered', status: 403 })))).toBe('online')
  expect(connections.of('e').reason).toBeNull()
  expect(state(fail(failure('timeout', 'Too late.', { sent: 'no' })))).toBe('offline')
  expect(state(fail(failure('service-error', 'Broken.', { sent: 'answered', status: 500 })))).toBe('online')
  expect(connections.of('e').reason).toBe('Broken.')
  expect(state(succeed(null))).toBe('online')
  expect(connections.of('e').reason).toBeNull()
  expect(state(fail(failure('not-allowed', 'NTLM.', { sent: 'no' })))).toBe('online')
})

it('may be called in the background once an answer arrived, and after an edit until the next one', () => {
  const connections = new Connections(() => undefined)
  expect(connections.mayAnswer('e')).toBe(false)
  connections.note('e', succeed(null))
  expect(connections.mayAnswer('e')).toBe(true)
  connections.forgetService('e')
  expect(connections.of('e').state).toBe('unknown')
  expect(connections.mayAnswer('e')).toBe(true)
  connections.note('e', fail(failure('offline', 'Nothing there.', { sent: 'no' })))
  expect(connections.mayAnswer('e')).toBe(false)
  connections.forgetService('e')
  connections.forget('e')
  expect(connections.mayAnswer('e')).toBe(false)
})
