import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Log, textLog } from '../../../electron/service/base/log'
import { type ServiceHere, startServiceHere } from '../../support/service/service-here'
import { creation, post } from '../client'

// Clients that send so slowly that others would wait for them, with a shorter time limit than a service's.

const requestMs = 800
type Entry = Parameters<Log['request']>[0]
let service: ServiceHere
const entries: Entry[] = []
const sockets: Socket[] = []

beforeAll(async () => {
  const log = { ...textLog, request: (entry: Entry) => void entries.push(entry) }
  service = await startServiceHere(100, { requestMs, log })
})
afterAll(async () => {
  sockets.forEach((socket) => socket.destroy())
  await service.dispose()
})

/** Sends the head of a request, then a byte now and then. Returns everything received until the service disconnects. */
async function sendSlowly(path: string): Promise<string> {
  const { host, hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  let text = ''
  socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, 'Content-Type: application/json']
  socket.write([...head, 'Content-Length: 1000000', '', ''].join('\r\n'))
  const drip = setInterval(() => socket.write(' '), requestMs / 8)
  await closed
  clearInterval(drip)
  return text
}

it("is refused and disconnected, and doesn't delay others", async () => {
  const slow = sendSlowly('/v2/deployments')
  const others = await Promise.all(Array.from({ length: 20 }, () => post(service.url, creation())))
  expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201))
  const text = await slow
  expect(text).toMatch(/^HTTP\/1\.1 408 /)
  expect(text).toContain(`within ${requestMs / 1_000} s`)
  const id = /\r\nX-Request-Id: (\S+)\r\n/i.exec(text)?.[1]
  const logged = () => entries.filter((entry) => entry.id === id || entry.status === 408)
  await expect.poll(logged).toMatchObject([{ id, method: 'POST', path: '/v2/deployments', status: 408 }])
})

it('gets no more time at a path that escapes from those of uploads', async () => {
  expect(await sendSlowly('/uploads/../v2/deployments')).toMatch(/^HTTP\/1\.1 408 /)
})
