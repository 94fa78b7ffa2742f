import { failure, type Outcome, fail, succeed } from '@contract'
import { shell } from 'electron'
import { externalUrl } from './external-url'

/** Opens a link in the system's browser or mail program: the only place where anything is. */
export async function openExternal(text: string): Promise<Outcome<null>> {
  const url = externalUrl(text)
  if (url === null) {
    return fail(
      failure('not-allowed', 'This link is not opened.', {
        advice: 'Only https and mailto links, without credentials, are.',
      }),
    )
  }
  try {
    await shell.openExternal(url)
    return succeed(null)
  } catch {
    return fail(
      failure('internal', 'The system opened no program for this link.', {
        advice: 'Copy the link and open it in a browser.',
      }),
    )
  }
}
