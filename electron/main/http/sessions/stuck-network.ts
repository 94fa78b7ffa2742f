import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { net } from 'electron'
import { raceTimeout, singleFlight } from '../../async'
import { endChromiumProcess } from '../../processes/end-chromium-process'
import { giveBack, networkProcess, throwAwaySession } from '.'

/**
 * Chromium and Node each have this many turns of this length to answer a request to this machine. Usually they take
 * milliseconds.
 */
const turns = 10
const turnMs = 500

/**
 * Ends Chromium's network process if it no longer answers. Chromium then starts another one. After the main process has
 * run out of file descriptors, the network process may deliver no answers, or headers without bodies, until it ends.
 * Called for requests that ran out of time. To test it, Node and Chromium each send a request to a server in this
 * process. The network process is ended only if Node gets an answer and Chromium doesn't.
 */
export const endStuckNetwork = singleFlight(async () => {
  const server = await listening()
  if (server === null) return
  try {
    const { port } = server.address() as AddressInfo
    const origin = `http://127.0.0.1:${port}`
    if (!(await inTime(answersNode(origin)))) return
    if (await inTime(answersChromium(origin))) return
  } finally {
    server.close()
    server.closeAllConnections()
  }
  endChromiumProcess(networkProcess)
})

/** A server in this process, for this test only; null if it can't listen. */
function listening(): Promise<Server | null> {
  const server = createServer((_asked, response) => response.end('.'))
  return new Promise((resolve) => {
    server.on('error', () => resolve(null))
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

/** Whether Node gets an answer. */
function answersNode(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.on('error', () => resolve(false))
      response.on('end', () => resolve(true)).resume()
    })
    request.on('error', () => resolve(false))
  })
}

/** True once Chromium answers or fails, or if there is no session to ask with. */
async function answersChromium(url: string): Promise<true> {
  const lent = throwAwaySession('network', url, { trust: { kind: 'system' }, proxy: { mode: 'none' } })
  try {
    const { session } = await lent
    await new Promise<void>((resolve) => {
      const request = net.request({ session, url, cache: 'no-store' })
      request.on('error', () => resolve())
      request.on('response', (response) => {
        response.on('error', () => resolve())
        response.on('end', () => resolve())
        response.on('data', () => undefined)
      })
      request.end()
    })
  } catch {
    // There is no session left.
  } finally {
    void giveBack(lent)
  }
  return true
}

/**
 * The result, or false if it doesn't come in time. Several short waits count only the time in which this process runs:
 * if it is blocked or the machine sleeps, one of them passes at most.
 */
async function inTime(check: Promise<boolean>): Promise<boolean> {
  for (let turn = 0; turn < turns; turn += 1) {
    const answer = await raceTimeout(check, turnMs)
    if (answer !== undefined) return answer
  }
  return false
}
