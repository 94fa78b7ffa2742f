import type { Proxy } from '@contract'
import type { Session } from 'electron'
import { raceCancellation, raceTimeout, singleFlight } from '../../async'
import { endChromiumProcess } from '../../processes/end-chromium-process'
import type { Send } from '../exchange'
import { giveBack, type PreparedSession, throwAwaySession } from '.'

/** Chromium runs the PAC scripts of all sessions in one process, and starts another one after it has ended. */
const scriptProcess = 'proxy_resolver.mojom.ProxyResolverFactory'

/** How long a script may run, in milliseconds, before it counts as stuck. Usual ones take milliseconds. */
const limitMs = 2_000

/** A request fails with this, before it is sent, if its session has no working script. */
const noScript = /\bERR_MANDATORY_PROXY_CONFIGURATION_FAILED\b/

/** Whether a script chooses the proxy, or may: the system's settings can name one too. */
const mayUseScript = ({ mode }: Proxy): boolean => mode !== 'none' && mode !== 'manual'

/**
 * If the session lost its script, makes Chromium read it again and sends the request once more. If the process that
 * runs scripts ends while a session sets up its script, Chromium treats the script as broken until something makes it
 * read it again. A POST that may have left isn't sent again: Chromium also loses the script if it repeats a request
 * itself.
 */
export function readAgainAfterLoss(session: Session, proxy: Proxy, send: Send): Send {
  if (!mayUseScript(proxy)) return send
  return async (message, signal, reportBegun) => {
    let mayHaveLeft = (): boolean => true
    try {
      return await send(message, signal, (begun) => reportBegun((mayHaveLeft = begun)))
    } catch (error) {
      if (signal.aborted || !(error instanceof Error && noScript.test(error.message))) throw error
      if (message.method === 'POST' && mayHaveLeft()) throw error
      // Chromium may never answer.
      await raceCancellation(session.forceReloadProxyConfig(), signal)
      return await send(message, signal, reportBegun)
    }
  }
}

/** A script that returns at once, unless no script runs. */
const quick: Proxy = { mode: 'pac-text', text: 'function FindProxyForURL() { return "DIRECT" }' }

/** A host for which Chromium runs a script. It runs none for loopback hosts. Nothing is sent there. */
const anywhere = 'http://slipway.invalid'

/**
 * Ends the process that runs PAC scripts if a session's script never returns: until then, no other script runs either.
 * Called for requests that were given up without an answer. If a script is only slow to load, others run, and the
 * process must stay: ending it fails their requests, and requests by the system's settings would bypass their proxy. It
 * also stays if this can't be determined.
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

/** Ends the process that runs scripts, unless a script runs or this can't be determined. */
const endWhereNoneRuns = singleFlight(async () => {
  const network = { trust: { kind: 'system' }, proxy: quick } as const
  const lent = throwAwaySession('scripts', anywhere, network)
  try {
    if (!(await settlesInTime(lent))) return
    const { session, keepFor } = await lent
    // A script that was read before may be lost.
    const resolved = session.forceReloadProxyConfig().then(() => session.resolveProxy(anywhere))
    keepFor(resolved)
    if (await settlesInTime(resolved)) return
  } catch {
    // There is no session to check with.
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
