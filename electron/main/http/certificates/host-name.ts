/** A host name in a form that can be compared: lower case, an IPv6 address without brackets. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
}
