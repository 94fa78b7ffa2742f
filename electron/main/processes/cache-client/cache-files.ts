import { readdir } from 'node:fs/promises'
import { asideSuffix } from '@contract/cache'

/** The name of the file of an environment's cache. */
export const fileNameOf = (environmentId: string): string => `${encodeURIComponent(environmentId)}.db`

/** The environment, and the rest of its file's name. */
const files = /^(.+?)\.db($|[-.].*$)/

/**
 * The environments that have files in a folder of caches, even if a crash left only a part of them. Leaves out those
 * with a file that was set aside: it stays until someone removes it. Rejects if the file system does.
 */
export async function storedIn(folder: string): Promise<string[]> {
  const found = (await namesIn(folder)).flatMap((name) => {
    const [, environment = '', rest = ''] = files.exec(name) ?? []
    return environment === '' ? [] : [{ environment, isAside: rest.startsWith(asideSuffix) }]
  })
  const aside = new Set(found.flatMap(({ environment, isAside }) => (isAside ? [environment] : [])))
  const stored = found.flatMap(({ environment }) => (aside.has(environment) ? [] : [environment]))
  return [...new Set(stored)].flatMap(decoded)
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The identifier in a name; nothing if Slipway didn't choose the name. */
function decoded(environment: string): string[] {
  try {
    return [decodeURIComponent(environment)]
  } catch {
    return []
  }
}
