import { domainToUnicode } from 'node:url'

/**
 * Gives a function that says whether a text contains the host of one of these base URLs: in any case, with or without a
 * port, in Unicode, in punycode or percent-encoded. A host of one word, such as `localhost`, and an IP address only
 * count as whole words, since other texts may contain them by chance.
 */
export function addressFinder(baseUrls: readonly string[]): (text: string) => boolean {
  const hosts = [...new Set(baseUrls.flatMap(hostsOf))]
  return (text) => {
    const forms = formsOf(text)
    return hosts.some((host) => forms.some((form) => hasHost(form, host)))
  }
}

/** How the host of a base URL may be written, without its port. */
function hostsOf(baseUrl: string): string[] {
  const hostname = new URL(baseUrl).hostname.replace(/^\[|\]$|\.+$/g, '')
  return [hostname, domainToUnicode(hostname)].map(folded).filter((host) => host !== '')
}

/** A text as it is and percent-decoded, repeatedly if it was encoded repeatedly. */
function formsOf(text: string): string[] {
  const decoded = percentDecoded(text)
  return [...new Set([text, decoded, percentDecoded(decoded)].map(folded))]
}

/** As a URL folds its host: also full-width letters and dots. */
const folded = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll('。', '.')

const percentDecoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))

function hasHost(text: string, host: string): boolean {
  if (host.includes('.') && !isIpv4.test(host)) return text.includes(host)
  for (let at = text.indexOf(host); at !== -1; at = text.indexOf(host, at + 1)) {
    const end = at + host.length
    if (!endsInWord.test(text.slice(Math.max(0, at - 2), at)) && !beginsInWord.test(text.slice(end, end + 2)))
      return true
  }
  return false
}

const isIpv4 = /^[\d.]+$/
const endsInWord = /[\p{L}\p{M}\p{N}_-]$/u
const beginsInWord = /^[\p{L}\p{M}\p{N}_-]/u
