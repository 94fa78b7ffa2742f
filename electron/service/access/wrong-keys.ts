import ipaddr from 'ipaddr.js'

/** How many wrong keys a network may send at once. */
const burst = 20

/** How many more it may send each second. */
const perSecond = 1

/** How many networks are remembered. Beyond that, the one without requests for the longest time is forgotten. */
const mostNetworks = 10_000

/** How many right keys of a network are remembered. */
const mostProven = 100

interface Network {
  /** How many more keys it may try, as of `at` (milliseconds). */
  left: number
  at: number
  /** The hashes of its right keys. */
  proven: Set<string>
}

export type WrongKeys = ReturnType<typeof slowDownWrongKeys>

/** Slows down clients that try keys. */
export function slowDownWrongKeys() {
  const networks = new Map<string, Network>()

  /** A network's state, with the tries that it has regained since. */
  function find(name: string): Network | undefined {
    const network = networks.get(name)
    if (network === undefined) return undefined
    const time = performance.now()
    network.left = Math.min(burst, network.left + ((time - network.at) / 1_000) * perSecond)
    network.at = time
    return network
  }

  return {
    /**
     * How many seconds another key from an address must wait before it is checked; 0 for none. A key that was right from
     * there doesn't wait, so that clients behind a proxy or router keep working while one of them tries keys.
     */
    wait(address: string, hash: string): number {
      const network = find(networkOf(address))
      if (network === undefined || network.left >= 1 || network.proven.has(hash)) return 0
      return Math.ceil((1 - network.left) / perSecond)
    },
    /** Notes whether a key from an address was right. */
    note(address: string, hash: string, isRight: boolean): void {
      const name = networkOf(address)
      const network = find(name) ?? { left: burst, at: performance.now(), proven: new Set() }
      // The latest is last.
      networks.delete(name)
      networks.set(name, network)
      if (networks.size > mostNetworks) networks.delete(first(networks.keys()))
      network.proven.delete(hash)
      if (!isRight) {
        network.left -= 1
        return
      }
      network.proven.add(hash)
      if (network.proven.size > mostProven) network.proven.delete(first(network.proven))
    },
  }
}

function first(items: Iterable<string>): string {
  const [item] = items
  return item!
}

/** An IPv4 address, or the first half of an IPv6 address: whoever has one address of a /64 has them all. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}
