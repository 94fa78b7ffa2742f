import { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import { beforeEach, expect, it, vi } from 'vitest'
import type { endStuckNetwork } from '../../../../../../electron/main/http/sessions/stuck-network'

/** How Chromium answers a request to this process. */
type Answering = 'answers' | 'fails' | 'head only' | 'silent'

const chromium = vi.hoisted(() => ({ answering: 'answers', requests: 0, isSetUp: true }))

vi.mock('electron', async () => {
  const { fakeSession } = await import('../../../../../support/main/electron-session')
  return {
    app: {
      on: () => undefined,
      getAppMetrics: () => [
        { serviceName: 'network.mojom.NetworkService', pid: 4242 },
        { serviceName: 'audio.mojom.AudioService', pid: 4343 },
      ],
    },
    net: {
      request: () => {
        chromium.requests += 1
        const request = Object.assign(new EventEmitter(), { end: () => undefined })
        const response = new EventEmitter()
        setImmediate(() => {
          if (chromium.answering === 'fails') request.emit('error', new Error('net::ERR_FAILED'))
          if (!['answers', 'head only'].includes(chromium.answering)) return
          request.emit('response', response)
          if (chromium.answering === 'answers') response.emit('end')
        })
        return request
      },
    },
    session: {
      fromPartition: () =>
        fakeSession({
          setProxy: () => (chromium.isSetUp ? Promise.resolve() : Promise.reject(new Error('Not set up.'))),
        }),
    },
  }
})

const kill = vi.spyOn(process, 'kill').mockImplementation(() => true)
let end: typeof endStuckNetwork

beforeEach(async () => {
  vi.resetModules()
  Object.assign(chromium, { answering: 'answers', requests: 0, isSetUp: true })
  kill.mockClear()
  ;({ endStuckNetwork: end } = await import('../../../../../../electron/main/http/sessions/stuck-network'))
})

it.each<[Answering, boolean]>([
  ['answers', false],
  ['fails', false],
  ['head only', true],
  ['silent', true],
])('a network process that %s is ended: %s', async (answering, isEnded) => {
  chromium.answering = answering
  await end()
  expect(kill.mock.calls).toEqual(isEnded ? [[4242, 'SIGKILL']] : [])
})

it('is checked once for all concurrent calls, and again after that', async () => {
  await Promise.all([end(), end(), end()])
  expect(chromium.requests).toBe(1)
  await end()
  expect(chromium.requests).toBe(2)
})

it('is left alone if there is no session to check with', async () => {
  chromium.isSetUp = false
  await end()
  expect([chromium.requests, kill.mock.calls.length]).toEqual([0, 0])
})

it('is left alone if Node gets no answer either', async () => {
  chromium.answering = 'silent'
  const listen = vi
    .spyOn(Object.getPrototypeOf(createServer()) as ReturnType<typeof createServer>, 'listen')
    .mockImplementation(function (this: EventEmitter) {
      queueMicrotask(() => this.emit('error', new Error('EMFILE')))
      return this as never
    })
  await end()
  listen.mockRestore()
  expect([chromium.requests, kill.mock.calls.length]).toEqual([0, 0])
})
