/** A host's name in the one form in which it can be compared: lower case, an IPv6 address without brackets. */
export function comparableHost(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
}
