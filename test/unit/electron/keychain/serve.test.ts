import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import { serveKeychain } from '../../../../electron/keychain/serve'

const { getPassword } = vi.hoisted(() => ({ getPassword: vi.fn() }))
vi.mock('node:module', () => ({ createRequire: () => () => ({ getPassword }) }))

it('starts the call before anything else is loaded, and answers on the port', async () => {
  const port = Object.assign(new EventEmitter(), { postMessage: vi.fn() })
  const order: string[] = []
  getPassword.mockImplementation(async () => {
    order.push('asked')
    return 'a key'
  })
  serveKeychain(port, () => void Promise.resolve().then(() => order.push('loading')))
  port.emit('message', { data: { id: 3, call: 'get', service: 's', account: 'a' } })
  await vi.waitFor(() => expect(port.postMessage).toHaveBeenCalled())
  expect(port.postMessage).toHaveBeenCalledWith({ id: 3, ok: true, value: 'a key' })
  expect(getPassword).toHaveBeenCalledWith('s', 'a')
  expect(order).toEqual(['asked', 'loading'])
})

it('leaves a message that is not a call unanswered', async () => {
  const port = Object.assign(new EventEmitter(), { postMessage: vi.fn() })
  serveKeychain(port)
  port.emit('message', { data: { call: 'eval' } })
  await new Promise((resolve) => setImmediate(resolve))
  expect(port.postMessage).not.toHaveBeenCalled()
})
