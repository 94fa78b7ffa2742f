import { BlockList, isIP } from 'node:net'
import type { IncomingMessage } from 'node:http'

/** Gives the address that a request comes from. */
export type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

/**
 * The address at the other end of the connection. If that is a trusted proxy, the last address in X-Forwarded-For that
 * isn't one. The client can make up everything before it.
 *
 * @param proxies addresses of trusted proxies, alone or with the length of a prefix
 */
export function clientAddressBehind(proxies: readonly string[]): ClientAddress {
  const trusted = new BlockList()
  for (const proxy of proxies) {
    const [address = '', length] = proxy.split('/')
    if (length === undefined) trusted.addAddress(address, family(address))
    else trusted.addSubnet(address, Number(length), family(address))
  }
  const isTrusted = (address: string): boolean =>
    isIP(address) !== 0 && trusted.check(address, family(address))
  return ({ headers, socket }) => {
    let address = withoutMapping(socket.remoteAddress ?? '')
    if (!isTrusted(address)) return address
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    while (isTrusted(address)) {
      const before = addressOf(forwarded.pop() ?? '')
      if (before === null) return address
      address = before
    }
    return address
  }
}

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** An IPv4 address without the IPv6 prefix that sockets for both families add. */
const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** An address as proxies write it, which may include a port; null for any other text. */
function addressOf(text: string): string | null {
  const trimmed = text.trim()
  const bare =
    /^\[(.+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = withoutMapping(bare)
  return isIP(address) === 0 ? null : address
}
