import { isIPv4 } from 'node:net'

/** Whether only this machine can reach a host (a name or address of --host). */
export function isLoopbackHost(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** A host as URLs write it: IPv6 addresses get brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
