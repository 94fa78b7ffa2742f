import { isIP } from 'node:net'
import { Refusal } from '../base/refusal'
import type { Network } from '../http/types'

/** The options that say how the service is reached, for `parseArgs`. */
export const networkOptions = {
  host: { type: 'string', default: '127.0.0.1' },
  'base-path': { type: 'string', default: '' },
  'allowed-host': { type: 'string', multiple: true, default: [] as string[] },
  'cors-origin': { type: 'string', multiple: true, default: [] as string[] },
  'trusted-proxy': { type: 'string', multiple: true, default: [] as string[] },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
} as const

/** The values that `parseArgs` gives for them. */
interface NetworkValues {
  host: string
  'base-path': string
  'allowed-host': readonly string[]
  'cors-origin': readonly string[]
  'trusted-proxy': readonly string[]
  'tls-cert'?: string | undefined
  'tls-key'?: string | undefined
}

export const networkUsage = `  --host HOST         the address to listen on (default 127.0.0.1)
  --base-path PATH    what is in front of all paths, such as /deployments
  --allowed-host NAME a name, or NAME:PORT, under which requests may ask, such as that of a proxy. Repeat it for more
  --cors-origin URL   an origin whose pages may use the service, such as https://tools.example. Repeat it for more
  --trusted-proxy IP  an address, or a network like 10.0.0.0/8, of proxies whose X-Forwarded-For tells the client, so that
                      wrong keys slow down who sends them. Repeat it for more
  --tls-cert FILE     serve HTTPS with this certificate and the --tls-key FILE, both in PEM. They are read again when
                      they change, and on SIGHUP`

/**
 * Reads how the service is reached.
 *
 * @throws {Refusal} with a message that says what is wrong with the arguments
 */
export function networkOf(values: NetworkValues): Network {
  const { 'tls-cert': cert, 'tls-key': key } = values
  if ((cert === undefined) !== (key === undefined)) {
    throw wrong('--tls-cert and --tls-key belong together: give both, or neither.')
  }
  return {
    host: values.host,
    basePath: basePathOf(values['base-path']),
    allowedHosts: listOf(values['allowed-host']).map(hostOf),
    corsOrigins: listOf(values['cors-origin']).map(originOf),
    trustedProxies: listOf(values['trusted-proxy']).map(proxyOf),
    tls: cert === undefined || key === undefined ? null : { cert, key },
  }
}

const listOf = (texts: readonly string[]): string[] => texts.flatMap((text) => text.split(','))

function basePathOf(text: string): string {
  const path = text.replace(/\/$/, '')
  if (/^(?:\/[\w.~-]+)*$/.test(path) && !/\/\.\.?(?:\/|$)/.test(path)) return path
  throw wrong(`--base-path must be like /deployments, not "${text}".`)
}

function hostOf(text: string): string {
  if (/^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(text)) return text.toLowerCase()
  throw wrong(
    `--allowed-host must be a name like deployments.example or deployments.example:8443, not "${text}".`,
  )
}

function proxyOf(text: string): string {
  const [address = '', length, ...rest] = text.split('/')
  const most = [0, 0, 0, 0, 32, 0, 128][isIP(address)]!
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= most)
  if (most > 0 && isLength && rest.length === 0) return text
  throw wrong(`--trusted-proxy must be like 10.0.0.5 or 10.0.0.0/8, not "${text}".`)
}

function originOf(text: string): string {
  if (isOrigin(text)) return text.toLowerCase()
  throw wrong(`--cors-origin must be like https://tools.example, without a path, not "${text}".`)
}

function isOrigin(text: string): boolean {
  try {
    return /^https?:/i.test(text) && new URL(text).origin === text.toLowerCase()
  } catch {
    return false
  }
}

function wrong(message: string): Refusal {
  return new Refusal(message, 'arguments')
}
