/** The longest address that is opened in a browser. */
export const longestLink = 2_000

/**
 * The address in a service's text if a browser may open it: http or https, without a user name, which could look like a
 * host. Null for any other text.
 */
export function linkOf(text: string): URL | null {
  if (text.length > longestLink) return null
  const url = parsed(text)
  if (!url) return null
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  return isWeb && url.username === '' && url.password === '' ? url : null
}

function parsed(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
