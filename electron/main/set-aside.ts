import { readdir } from 'node:fs/promises'

/** The names under which the journal, the drafts and the list of environments are kept when they cannot be read. */
const setAside = /^(?:journal|drafts|environments)\.[a-z.]+\.(?:unreadable|damaged)-/

/** How many are named; there may be more where something damages them again and again. */
const mostNamed = 5

/** The files in a folder that were set aside and still lie there, the latest last. */
export async function filesSetAside(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => setAside.test(name)).sort()
}

/**
 * What the user is told of the files in a folder that were set aside and still lie there; null without any. Until someone
 * removes them they can be made use of, such as when the keychain is restored that they were written with.
 */
export async function setAsideNotice(folder: string): Promise<string | null> {
  const names = await filesSetAside(folder)
  if (names.length === 0) return null
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  return (
    `Slipway could not read these files at an earlier start and kept them in its folder: ` +
    `${names.slice(-mostNamed).join(', ')}${more}. Delete them once you don't need them.`
  )
}
