import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { signRelease } from '../../electron/launcher/packaging/publish'
import { type Display, startDisplay } from '../e2e/support/processes'
import { Harness } from '../harness/process'

// The notice of updates of a real main process, against a publisher's server on this machine.

const keys = () =>
  generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
const { publicKey, privateKey } = keys()
const key = publicKey.toString('base64')
const release = { version: '2.0.0', date: '2026-11-01T00:00:00.000Z', notes: 'Faster.', minimum: '1.0.0' }
const signed = (change: Partial<typeof release> = {}, by = privateKey): string =>
  signRelease({ ...release, ...change }, by)

let display: Display
let harness: Harness
let folder: string
let asked: { url: string; headers: IncomingHttpHeaders }[]
let answer: (response: ServerResponse, path: string) => void
const server = createServer((request, response) => {
  asked.push({ url: request.url!, headers: request.headers })
  answer(response, request.url!)
})
const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/slipway/latest.json`

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  display = await startDisplay()
  folder = await mkdtemp(join(tmpdir(), 'slipway-updates-'))
  harness = await Harness.start(join(folder, 'electron'), display.environment)
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await harness.kill()
  await display.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})
beforeEach(() => {
  asked = []
})
afterEach(() => server.closeAllConnections())

const says = (text: string | Buffer): void => {
  answer = (response) => response.setHeader('Content-Type', 'application/json').end(text)
}

let files = 0
/** Starts an application with what an earlier one kept. */
async function start(kept: object = {}, version = '1.0.0', to = address()) {
  const file = join(folder, `updates-${(files += 1)}.json`)
  await writeFile(file, JSON.stringify(kept))
  return await harness.ask('updates', { file, address: to, key, version })
}

const askedAt = (hoursAgo: number): string => new Date(Date.now() - hoursAgo * 3_600_000).toISOString()

test('a newer version is told, and asking says nothing of anybody', async () => {
  says(signed())
  const { state, ignored } = await start()
  expect(ignored).toEqual([])
  expect(state).toEqual({
    isPossible: true,
    isOn: true,
    offBy: null,
    newer: { ...release, isUnsupported: false, command: null },
  })
  expect(asked).toHaveLength(1)
  expect(asked[0]!.url).toBe('/slipway/latest.json')
  // What Chromium sends with any request, and what asks for a fresh JSON.
  expect(Object.keys(asked[0]!.headers).sort()).toEqual([
    'accept',
    'accept-encoding',
    'accept-language',
    'cache-control',
    'connection',
    'host',
    'pragma',
    'sec-fetch-dest',
    'sec-fetch-mode',
    'sec-fetch-site',
    'user-agent',
  ])
})

test('the publisher is asked once a day, and a dismissed version is never told again', async () => {
  says(signed())
  const known = { release, askedAt: askedAt(23) }
  expect((await start(known)).state.newer).toMatchObject({ version: '2.0.0' })
  expect((await start({ ...known, dismissed: '2.0.0' })).state.newer).toBeNull()
  expect(asked).toHaveLength(0)
  expect((await start({ release, dismissed: '2.0.0', askedAt: askedAt(25) })).state.newer).toBeNull()
  expect(asked).toHaveLength(1)
  says(signed({ version: '2.0.1', date: '2026-11-02T00:00:00.000Z' }))
  const later = await start({ release, dismissed: '2.0.0', askedAt: askedAt(25) })
  expect(later.state.newer).toMatchObject({ version: '2.0.1' })
})

test('a version without support says so, and the running one is not told', async () => {
  says(signed({ minimum: '1.5.0' }))
  expect((await start()).state.newer).toMatchObject({ isUnsupported: true })
  const same = await start({}, '2.0.0')
  expect(same).toMatchObject({ state: { newer: null }, ignored: [] })
})

test.each([
  ['wrong signature', () => says(signed({}, keys().privateKey))],
  ['wrong signature', () => says(signed().replace('2.0.0', '9.0.0'))],
  ['older date', () => says(signed({ version: '3.0.0', date: '2026-09-01T00:00:00.000Z' }))],
  ['smaller version', () => says(signed({ version: '0.9.0', date: '2026-12-01T00:00:00.000Z' }))],
  ['malformed', () => says('{"signed": 1}')],
  ['malformed', () => says(signed({ version: '2.0' }))],
  ['malformed', () => says('no JSON')],
  ['not-found-at-service', () => (answer = (response) => response.writeHead(404).end('gone'))],
  ['too-large', () => says(Buffer.alloc(80_000, ' '))],
  [
    'redirected',
    () =>
      (answer = (response) =>
        response.writeHead(302, { Location: address().replace('127.0.0.1', 'localhost') }).end()),
  ],
  [
    'timeout',
    // Begins, and never ends.
    () => (answer = (response) => response.setHeader('Content-Type', 'application/json').write('{')),
  ],
])('an answer is ignored and logged: %s', async (why, prepare) => {
  prepare()
  const { state, ignored } = await start({
    release: { ...release, version: '1.0.0', date: '2026-10-01T00:00:00.000Z' },
  })
  expect(ignored).toEqual([why])
  expect(state.newer).toBeNull()
  expect(asked).toHaveLength(1)
})

test('a redirect within the server is followed', async () => {
  answer = (response, path) =>
    path.endsWith('/there.json')
      ? response.end(signed())
      : response.writeHead(302, { Location: '/there.json' }).end()
  expect((await start()).state.newer).toMatchObject({ version: '2.0.0' })
})

test('offline, what was told stays, and nothing is logged', async () => {
  const nobody = 'http://127.0.0.1:9/latest.json'
  const known = { release, askedAt: askedAt(48) }
  expect(await start(known, '1.0.0', nobody)).toMatchObject({
    state: { newer: { version: '2.0.0' } },
    ignored: [],
  })
})

test('switched off, nothing is asked and nothing is told', async () => {
  says(signed())
  expect((await start({ isOn: false, release })).state).toMatchObject({ isOn: false, newer: null })
  const other = await Harness.start(join(folder, 'off'), {
    ...display.environment,
    SLIPWAY_NO_UPDATE_CHECK: '1',
  })
  try {
    const file = join(folder, 'off.json')
    await writeFile(file, JSON.stringify({ release }))
    const { state } = await other.ask('updates', { file, address: address(), key, version: '1.0.0' })
    expect(state).toMatchObject({ isOn: true, offBy: 'variable', newer: null })
  } finally {
    await other.kill()
  }
  expect(asked).toHaveLength(0)
})
