/** A normalised base URL with what was changed and what to beware of, or why it was refused. */
export type NormalizedBaseUrl =
  { ok: true; url: string; notes: string[]; warnings: string[] } | { ok: false; message: string }

/** The longest base URL, in characters. Normalising longer ones takes too long. */
const longestBaseUrl = 2_000

/** Whether a host name means this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  )
}

/**
 * Normalises what people paste as the base URL of a service. Keeps a path prefix; removes trailing slashes and a
 * version segment at the end (`/v1`, `/v2`, `/v2/deployments`), which belongs to the calls. Refuses schemes other
 * than http and https, credentials, query and fragment. Warns about plain http to another machine.
 */
export function normalizeBaseUrl(text: string): NormalizedBaseUrl {
  if (text.length > longestBaseUrl) return refuseLong
  const trimmed = text.trim()
  if (trimmed === '') return refuse('Enter the base URL of the service, such as https://deploy.example.com.')
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) {
    return refuse('Begin the base URL with https:// or http://.')
  }
  const url = parse(trimmed)
  if (!url || url.hostname === '') return refuse('Enter a URL, such as https://deploy.example.com.')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuse(`Use https:// or http://, not ${url.protocol}//.`)
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('Take the user name and password out of the URL; credentials belong in a request header.')
  }
  if (url.search !== '' || url.hash !== '') {
    return refuse('Remove everything from "?" or "#" on: a base URL has no query or fragment.')
  }

  const notes: string[] = []
  const path = withoutNeedlessEscapes(url.pathname).replace(/\/+$/, '')
  const prefix = path.replace(/(?:\/+(?:v2(?:\/+deployments)?|v1))+$/, '').replace(/\/+$/, '')
  if (prefix !== path) notes.push(`Without "${path.slice(prefix.length)}": Slipway adds it to each request.`)

  // Escapes are longer than what was entered.
  const normalized = url.origin + prefix
  if (normalized.length > longestBaseUrl) return refuseLong

  const warnings: string[] = []
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    warnings.push(
      'Plain http to another machine: everyone on the way can read and change requests, headers included.',
    )
  }
  return { ok: true, url: normalized, notes, warnings }
}

/** Resolves escapes of letters, digits, "-", ".", "_" and "~", and writes hex in upper case (RFC 3986, 6.2.2). */
const withoutNeedlessEscapes = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/gi, (escape, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
  })

function parse(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

const refuseLong: NormalizedBaseUrl = { ok: false, message: 'Use at most 2,000 characters.' }

function refuse(message: string): NormalizedBaseUrl {
  return { ok: false, message }
}
