import type { Proxy } from '@contract'
import type { Session } from 'electron'
import { raceCancellation, raceTimeout, singleFlight } from '../../async'
import { endChromiumProcess } from '../../processes/end-chromium-process'
import type { Send } from '../exchange'
import { giveBack, type PreparedSession, throwAwaySession } from '.'

/** Chromium runs the PAC scripts of every session in one process, which it starts again once it has ended. */
const scriptProcess = 'proxy_resolver.mojom.ProxyResolverFactory'

/** What a script may take once nothing has come of a request; usual ones take milliseconds. */
const limitMs = 2_000

/** What a request ends with, before it is sent anywhere, where a session has no script that works. */
const noScript = /\bERR_MANDATORY_PROXY_CONFIGURATION_FAILED\b/

/** Whether a script decides, or may: the system's settings may name one as well. */
const mayUseScript = ({ mode }: Proxy): boolean => mode !== 'none' && mode !== 'manual'

/**
 * Sends once more where a session's script is lost, after it was read again. When the process that runs scripts ends
 * while a session sets its own up, Chromium takes the script for one that doesn't work, for as long as it isn't told to
 * read it again. Never a POST that may have left before: Chromium loses the script also where it would send that again.
 */
export function readAgainAfterLoss(session: Session, proxy: Proxy, send: Send): Send {
  if (!mayUseScript(proxy)) return send
  return async (message, signal, tell) => {
    let mayHaveLeft = (): boolean => true
    try {
      return await send(message, signal, (tells) => tell((mayHaveLeft = tells)))
    } catch (error) {
      if (signal.aborted || !(error instanceof Error && noScript.test(error.message))) throw error
      if (message.method === 'POST' && mayHaveLeft()) throw error
      // Chromium may never answer.
      await raceCancellation(session.forceReloadProxyConfig(), signal)
      return await send(message, signal, tell)
    }
  }
}

/** A script that says at once where to go, if any script gets to run. */
const quick: Proxy = { mode: 'pac-text', text: 'function FindProxyForURL() { return "DIRECT" }' }

/** A host for which Chromium asks a script, as it doesn't for those of this machine; nothing is sent there. */
const anywhere = 'http://slipway.invalid'

/**
 * Ends the process that runs PAC scripts where the one of a session doesn't end: until then, no other would run either.
 * For requests that were given up before they had an answer. Not where a script is only slow to load, since then others
 * run: ending the process fails their requests, and those of the system's settings go past their proxy. Neither where it
 * isn't known whether others run.
 */
export async function endStuckScript(
  { session, keepFor }: Pick<PreparedSession, 'session' | 'keepFor'>,
  proxy: Proxy,
  url: string,
): Promise<void> {
  if (!mayUseScript(proxy)) return
  const resolved = session.resolveProxy(url)
  keepFor(resolved)
  if (!(await settlesInTime(resolved))) await endWhereNoneRuns()
}

/** Ends the process that runs scripts, unless one runs, or it can't be found out. */
const endWhereNoneRuns = singleFlight(async () => {
  const network = { trust: { kind: 'system' }, proxy: quick } as const
  const lent = throwAwaySession('scripts', anywhere, network)
  try {
    if (!(await settlesInTime(lent))) return
    const { session, keepFor } = await lent
    // One that was read before may be lost.
    const resolved = session.forceReloadProxyConfig().then(() => session.resolveProxy(anywhere))
    keepFor(resolved)
    if (await settlesInTime(resolved)) return
  } catch {
    // There is no session to look with.
    return
  } finally {
    void giveBack(lent)
  }
  endChromiumProcess(scriptProcess)
})

async function settlesInTime(work: Promise<unknown>): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  )
  return (await raceTimeout(settled, limitMs)) ?? false
}
