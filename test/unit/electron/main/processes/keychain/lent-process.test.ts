import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import { lentProcess } from '../../../../../../electron/main/processes/keychain/lent-process'

class FakePort extends EventEmitter {
  postMessage = vi.fn()
  start = vi.fn()
  close = vi.fn()
}

function lend() {
  const port = new FakePort()
  const endAround = vi.fn()
  const process = lentProcess(port, endAround)
  const messages: unknown[] = []
  const exited = vi.fn()
  process.on('message', (message) => messages.push(message))
  process.once('exit', exited)
  return { port, process, messages, exited, endAround }
}

it('passes calls and answers on, and is busy between them', () => {
  const { port, process, messages } = lend()
  expect(port.start).toHaveBeenCalledOnce()
  expect(process.isBusy()).toBe(false)
  process.postMessage({ id: 1 })
  expect(port.postMessage).toHaveBeenCalledWith({ id: 1 })
  expect(process.isBusy()).toBe(true)
  port.emit('message', { data: { id: 1, ok: true } })
  expect(messages).toEqual([{ id: 1, ok: true }])
  expect(process.isBusy()).toBe(false)
})

it('ends with the process that contains it', () => {
  const { port, process, exited } = lend()
  process.postMessage({ id: 1 })
  port.emit('close')
  expect(exited).toHaveBeenCalledOnce()
})

it('is killed alone: the port closes', () => {
  const { port, process, exited } = lend()
  process.kill()
  expect(port.close).toHaveBeenCalledOnce()
  expect(exited).toHaveBeenCalledOnce()
})

it.each([
  ['get', false],
  ['set', true],
  ['delete', true],
])('also kills the process that contains it if it is killed during a "%s": %s', (call, isEnded) => {
  const { port, process, endAround } = lend()
  process.postMessage({ id: 1, call: 'set' })
  port.emit('message', { data: { id: 1, ok: true } })
  process.postMessage({ id: 2, call })
  process.kill()
  expect(endAround).toHaveBeenCalledTimes(isEnded ? 1 : 0)
})

it('sends nothing to a removed listener', () => {
  const { port, process } = lend()
  const listener = vi.fn()
  process.on('message', listener)
  process.off('message', listener)
  port.emit('message', { data: 1 })
  expect(listener).not.toHaveBeenCalled()
})
