import { BlockList, isIP } from 'node:net'
import type { IncomingMessage } from 'node:http'

/** Tells from which address a request comes. */
export type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

/**
 * The address at the other end of the connection, or, if a trusted proxy has that one, the last address in
 * X-Forwarded-For that no trusted proxy has. What is before it can be made up by the client.
 *
 * @param proxies addresses of trusted proxies, each with the length of its prefix or alone
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

/** An IPv4 address of a socket for both families, as others write it. */
const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** An address as proxies write it, which may have a port; null if it is none. */
function addressOf(text: string): string | null {
  const trimmed = text.trim()
  const bare =
    /^\[(.+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = withoutMapping(bare)
  return isIP(address) === 0 ? null : address
}
