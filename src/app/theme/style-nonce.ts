/**
 * Lets the style elements of naive-ui pass the Content-Security-Policy, which allows only those with the page's nonce.
 * naive-ui has no setting for it, so each style element that a script creates gets the nonce. The browser ignores one
 * from markup, which has none. Import this file first.
 */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce

/** The nonce of this page's style elements; empty if the page was served without one. */
export const styleNonce = nonce ?? ''

if (nonce) {
  const createElement = document.createElement.bind(document) as (
    name: string,
    options?: ElementCreationOptions,
  ) => HTMLElement
  const createWithNonce: typeof createElement = (name, options) => {
    const element = createElement(name, options)
    if (element instanceof HTMLStyleElement) element.nonce = nonce
    return element
  }
  document.createElement = createWithNonce as typeof document.createElement
}
