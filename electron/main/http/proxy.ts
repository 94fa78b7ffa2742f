import type { Proxy } from '@contract'
import type { ProxyConfig } from 'electron'
import { normalizeHost } from './certificates'

/** A proxy as Electron's sessions take it, without its credentials (`proxyCredentials`). */
export function proxyConfig(proxy: Proxy): ProxyConfig {
  switch (proxy.mode) {
    case 'system':
      return { mode: 'system' }
    case 'none':
      return { mode: 'direct' }
    case 'manual':
      // A proxy that was entered for an environment applies to loopback hosts too.
      return {
        mode: 'fixed_servers',
        proxyRules: `http://${proxy.host}:${proxy.port}`,
        proxyBypassRules: '<-loopback>',
      }
    case 'pac-url':
      return { mode: 'pac_script', pacScript: proxy.url }
    case 'pac-text': {
      const script = Buffer.from(proxy.text).toString('base64')
      return { mode: 'pac_script', pacScript: `data:application/x-ns-proxy-autoconfig;base64,${script}` }
    }
  }
}

/** User name and password for a proxy that asks for them; null if none were entered, or only for another proxy. */
export function proxyCredentials(
  proxy: Proxy,
  asking: { host: string; port: number },
): { userName: string; password: string } | null {
  if (proxy.mode !== 'manual') return null
  const sameHost = normalizeHost(proxy.host) === normalizeHost(asking.host)
  return sameHost && proxy.port === asking.port ? proxy.credentials : null
}
