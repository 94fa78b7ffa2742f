/** Scheme and host of the application's own page. */
export const appScheme = 'app'
export const appHost = 'slipway'
export const appUrl = `${appScheme}://${appHost}/index.html`

/**
 * Whether a URL is the application's own page. Compares parsed URLs: text with the same beginning can lead elsewhere.
 */
export function isAppUrl(text: string): boolean {
  try {
    const url = new URL(text)
    return (
      url.protocol === `${appScheme}:` && url.host === appHost && ['/', '/index.html'].includes(url.pathname)
    )
  } catch {
    return false
  }
}
