import type { Proxy } from '@contract'
import { app, type Session } from 'electron'

/** Chromium runs the PAC scripts of every session in one process, which it starts again once it has ended. */
const runsScripts = 'proxy_resolver.mojom.ProxyResolverFactory'

/** What a script may take once nothing has come of a request; usual ones take milliseconds. */
const limitMs = 2_000

/**
 * Ends the process that runs PAC scripts where the one of a session doesn't end: until then, no other would run either.
 * For requests that were given up before they had an answer.
 */
export async function endStuckScript(session: Session, proxy: Proxy, url: string): Promise<void> {
  // The system's settings may name a script as well.
  if (proxy.mode === 'none' || proxy.mode === 'manual' || (await ends(session, url))) return
  for (const { serviceName, pid } of app.getAppMetrics()) {
    if (serviceName === runsScripts) process.kill(pid, 'SIGKILL')
  }
}

/** Whether a session knows in time which proxy it should use for a URL, or that there is none. */
async function ends(session: Session, url: string): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs)
  })
  const known = session.resolveProxy(url).then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([known, late])
  } finally {
    clearTimeout(timer)
  }
}
