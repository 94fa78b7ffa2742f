import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { net } from 'electron'
import { raceTimeout, singleFlight } from '../../async'
import { endChromiumProcess } from '../../processes/end-chromium-process'
import { giveBack, networkProcess, throwAwaySession } from '.'

/** Within so many turns of this length Chromium asks this machine itself; usually that takes milliseconds. */
const turns = 10
const turnMs = 500

/**
 * Ends Chromium's network process, which starts again by itself, where it gives no answer any more. A main process that
 * had no file descriptors left for a while gets none from it, or heads without bodies, for as long as that process lives.
 * For requests that ran out of time. Whether it is the process, a request to this very process shows, which Node gets
 * answered and Chromium does not; where Node doesn't either, or nothing can be looked at, nothing is ended.
 */
export const endStuckNetwork = singleFlight(async () => {
  const server = await listening()
  if (server === null) return
  try {
    const { port } = server.address() as AddressInfo
    const origin = `http://127.0.0.1:${port}`
    if (!(await inTime(askedByNode(origin)))) return
    if (await inTime(askedByChromium(origin))) return
  } finally {
    server.close()
    server.closeAllConnections()
  }
  endChromiumProcess(networkProcess)
})

/** A service of this process for nobody else; null where there can be none. */
function listening(): Promise<Server | null> {
  const server = createServer((_asked, response) => response.end('.'))
  return new Promise((resolve) => {
    server.on('error', () => resolve(null))
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
}

/** Whether Node gets an answer. */
function askedByNode(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.on('error', () => resolve(false))
      response.on('end', () => resolve(true)).resume()
    })
    request.on('error', () => resolve(false))
  })
}

/** True once Chromium says anything, an error included, or there is nothing to ask with. */
async function askedByChromium(url: string): Promise<true> {
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
 * What was asked, or false where no answer comes in time. Several short waits count only time in which this process runs:
 * while it is held up or the machine sleeps, at most one of them passes.
 */
async function inTime(asked: Promise<boolean>): Promise<boolean> {
  for (let turn = 0; turn < turns; turn += 1) {
    const answer = await raceTimeout(asked, turnMs)
    if (answer !== undefined) return answer
  }
  return false
}
