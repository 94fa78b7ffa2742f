import { fail, failure, type Outcome, succeed } from '@contract'
import { linkOf } from '@contract/core/url'
import { shell } from 'electron'
import type { Ask } from '../questions'

/** The longest address that a question shows whole, in characters. */
const longestAsked = 1_000

/** Opens the address of a link, once the operator agreed. Failures: those of the call `links.open`. */
export type OpenLink = (text: string) => Promise<Outcome<null>>

/**
 * Opens addresses in the system's browser. They are what a service answered, and a page that was taken over could put
 * into them what it knows: so the operator sees where each leads, outside the page, and agrees to it.
 */
export function createOpenLink(ask: Ask): OpenLink {
  return async (text) => {
    const url = linkOf(text)
    if (!url) return fail(notOpened("This address can't be opened in a browser.", 'invalid-input'))
    if (url.href.length > longestAsked)
      return fail(notOpened('This address is too long to ask you about it.'))
    const question = {
      message: `Open ${url.host} in your browser?`,
      // In the form of the URL standard, all of it is ASCII: nothing in it can look like something else.
      detail: `The link leads to:\n${url.href}`,
      agree: 'Open',
    }
    const agreed = await ask(question)
    if (agreed === null)
      return fail(notOpened("Another dialog is open, or was just declined, so you weren't asked."))
    if (!agreed) return fail(failure('cancelled', "The link wasn't opened."))
    try {
      await shell.openExternal(url.href)
    } catch {
      return fail(notOpened("The system's browser couldn't be opened.", 'internal'))
    }
    return succeed(null)
  }
}

const notOpened = (message: string, code: 'not-allowed' | 'invalid-input' | 'internal' = 'not-allowed') =>
  failure(code, message, { advice: 'Copy the address and open it yourself.' })
