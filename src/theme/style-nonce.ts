/**
 * Lets the component library's style elements pass the Content-Security-Policy, which allows only those with the
 * nonce that the page was served with. The library has no setting for it, so every style element that a script of
 * the page makes gets the nonce; one that comes out of markup has none and is ignored. Must be imported first.
 */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce

/** The nonce that a style element of this page needs; empty where the page was served without one. */
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
