import { trimBlanks } from './text'

/** A normalised base URL with what was changed and what to beware of, or why it was refused. */
export type NormalizedBaseUrl =
  | { ok: true; url: string; notes: string[]; warnings: string[] }
  | { ok: false; message: string }

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
 * What ends the address of a page or call that people copy: the version that Slipway adds itself, and the pages of the
 * service's documentation.
 */
const ofCalls =
  /(?:\/+(?:v2(?:\/+deployments(?:\/.*)?)?|v1(?:\/+integrations(?:\/.*)?)?|docs|redoc|openapi\.(?:json|ya?ml)))+$/

/**
 * Normalises what people paste as the base URL of a service. Adds a missing scheme. Keeps a path prefix; removes
 * trailing slashes, query and fragment, and what belongs to calls or documentation (`/v2/deployments`, `/docs`). Refuses
 * schemes other than http and https, and credentials. Warns about plain http to another machine.
 */
export function normalizeBaseUrl(text: string): NormalizedBaseUrl {
  if (text.length > longestBaseUrl) return refuseLong
  const trimmed = trimBlanks(text)
  if (trimmed === '') return refuse('Enter the base URL of the service, such as https://deploy.example.com.')
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
  const url = parse(hasScheme ? trimmed : `https://${trimmed}`)
  if (!url || url.hostname === '') return refuse('Enter a URL, such as https://deploy.example.com.')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuse(`Use https:// or http://, not ${url.protocol}//.`)
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('Take the user name and password out of the URL; credentials belong in a request header.')
  }
  // A single word is more likely a name than a host.
  if (!hasScheme && !/[.:]/.test(url.host) && !isLoopback(url.hostname)) {
    return refuse('Begin the base URL with https:// or http://.')
  }

  const notes: string[] = []
  if (!hasScheme) {
    if (isLoopback(url.hostname)) url.protocol = 'http:'
    notes.push(`With "${url.protocol}//" at its beginning.`)
  }
  if (url.search !== '' || url.hash !== '') {
    notes.push('Without everything from "?" or "#" on: a base URL has no query or fragment.')
  }
  const path = withoutNeedlessEscapes(url.pathname).replace(/\/+$/, '')
  const prefix = path.replace(ofCalls, '').replace(/\/+$/, '')
  if (prefix !== path)
    notes.push(`Without "${path.slice(prefix.length)}": Slipway adds what a request needs.`)

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

/** The user part of a URL in a text (RFC 3986, 3.2.1). Passwords may have an @ that should have been escaped. */
const userPart = /\b([a-z][a-z0-9+.-]*:\/\/)([^\s/?#"]+)@/gi

/** A credential among the parameters of a URL, but not a shell's variable. */
const parameter = /([?&][\w.-]*(?:token|secret|passw(?:or)?d|api[_-]?key)=)([^\s&#"'$][^\s&#"']*)/gi

/** Whether the name of a user certainly is a token: it begins like a known kind, or looks random. */
const isToken = (user: string): boolean =>
  /^(?:gh[a-z]_|github_pat_|glpat-|ATBB|x-token-auth$)/.test(user) ||
  (/[a-z\d]{20}/i.test(user) && /\d/.test(user) && /[a-z]/i.test(user))

/** A credential in a URL. It is certain if it isn't only the name of a user. */
interface UrlCredential {
  text: string
  isCertain: boolean
}

/** The credentials in the URLs of a text. The user of an `ssh:` URL without a password is none. */
export function urlCredentialsIn(text: string): UrlCredential[] {
  const found: UrlCredential[] = []
  replaceUrlCredentials(text, (credential) => {
    found.push(credential)
    return ''
  })
  return found
}

/** A text with each credential of its URLs replaced. */
export function replaceUrlCredentials(text: string, replace: (credential: UrlCredential) => string): string {
  if (!text.includes('@') && !text.includes('=')) return text
  return text
    .replace(userPart, (whole: string, scheme: string, user: string) => {
      const hasPassword = /:./.test(user)
      if (!hasPassword && !/^(?:[a-z+]*\+)?https?:/i.test(scheme)) return whole
      return `${scheme}${replace({ text: user, isCertain: hasPassword || isToken(user) })}@`
    })
    .replace(parameter, (_whole, name: string, value: string) => {
      return name + replace({ text: value, isCertain: true })
    })
}

/** The texts that must not be shown of the credentials in a value, such as a request: whole, and the password alone. */
export function urlCredentialTexts(value: unknown): string[] {
  if (typeof value === 'string') {
    return urlCredentialsIn(value).flatMap(({ text, isCertain }) =>
      isCertain ? [text, text.slice(text.indexOf(':') + 1)] : [],
    )
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(urlCredentialTexts) : []
}

/** The longest address that is opened in a browser. */
export const longestLink = 2_000

/**
 * The address in a service's text if a browser may open it: http or https, without a user name, which could look like a
 * host. Null for any other text.
 */
export function linkOf(text: string): URL | null {
  if (text.length > longestLink) return null
  const url = parse(text)
  if (!url) return null
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  return isWeb && url.username === '' && url.password === '' ? url : null
}
