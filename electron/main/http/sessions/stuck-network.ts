import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { app, net } from 'electron'
import { giveBack, networkProcess, throwAwaySession } from '.'

/** Within so many turns of this length Chromium asks this machine itself; usually that takes milliseconds. */
const turns = 10
const turnMs = 500

/** The one look whether Chromium's network process answers, for all that ask meanwhile. */
let looking: Promise<void> | null = null

/**
 * Ends Chromium's network process, which starts again by itself, where it gives no answer any more. A main process that
 * had no file descriptors left for a while gets none from it, or heads without bodies, for as long as that process lives.
 * For requests that ran out of time. Whether it is the process, a request to this very process shows, which Node gets
 * answered and Chromium does not; where Node doesn't either, or nothing can be looked at, nothing is ended.
 */
export async function endStuckNetwork(): Promise<void> {
  looking ??= endWhereStuck().finally(() => (looking = null))
  await looking
}

async function endWhereStuck(): Promise<void> {
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
  for (const { serviceName, pid } of app.getAppMetrics()) {
    if (serviceName === networkProcess) process.kill(pid, 'SIGKILL')
  }
}

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

/** What comes in time; null where nothing does. Time counts only in turns in which this process could hear of it. */
async function inTime<Value>(asked: Promise<Value>): Promise<Value | null> {
  for (let turn = 0; turn < turns; turn += 1) {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), turnMs)
    })
    const found = await Promise.race([asked.then((value) => ({ value })), late])
    clearTimeout(timer)
    if (found !== null) return found.value
  }
  return null
}
