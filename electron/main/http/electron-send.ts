import { randomUUID } from 'node:crypto'
import { type Session, session } from 'electron'
import type { Redirect, Send } from './send'

/** Where the redirects of a session lead, by the address that was asked, until their request has been rejected. */
type Redirects = Map<string, Redirect>

const prepared = new WeakMap<Session, Redirects>()

/** Throw-away sessions that are cleared and wait for their next use: Electron never frees a session. */
const idle: Session[] = []

const partitionOf = (environmentId: string): string => `persist:environment-${environmentId}`

/** The way to send through the session of an environment: the system's proxy and certificates hold. */
export function sendForEnvironment(environmentId: string): Send {
  return sendThrough(session.fromPartition(partitionOf(environmentId)))
}

/** Does something with a session that keeps nothing on disk and is empty again afterwards. */
export async function withThrowAwaySession<T>(use: (send: Send) => Promise<T>): Promise<T> {
  const own = idle.pop() ?? session.fromPartition(`throw-away-${randomUUID()}`)
  try {
    return await use(sendThrough(own))
  } finally {
    void clear(own).then(() => idle.push(own))
  }
}

/** Clears what the session of an environment kept. */
export async function forgetSession(environmentId: string): Promise<void> {
  await clear(session.fromPartition(partitionOf(environmentId)))
}

async function clear(which: Session): Promise<void> {
  await Promise.all([which.clearStorageData(), which.clearCache(), which.clearAuthCache()])
  await which.closeAllConnections()
}

function sendThrough(own: Session): Send {
  const redirects = prepare(own)
  return async (message, signal) => {
    const url = new URL(message.url).href
    try {
      return await own.fetch(url, {
        method: message.method,
        headers: message.headers,
        body: message.body,
        signal,
        // The session's fetch follows redirects with all headers, to any origin; so it may not follow any.
        redirect: 'error',
        credentials: 'omit',
        // Answers may hold secrets: none goes to the disk.
        cache: 'no-store',
      })
    } catch (error) {
      const redirect = redirects.get(url)
      if (redirect) return redirect
      throw error
    } finally {
      redirects.delete(url)
    }
  }
}

/** Prepares a session once: fetch does not tell where a redirect leads, but the session does. */
function prepare(own: Session): Redirects {
  const known = prepared.get(own)
  if (known) return known
  const redirects: Redirects = new Map()
  prepared.set(own, redirects)
  own.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  own.setPermissionCheckHandler(() => false)
  own.webRequest.onBeforeRedirect(({ url, redirectURL, statusCode }) => {
    redirects.set(url, { status: statusCode, to: redirectURL })
  })
  return redirects
}
