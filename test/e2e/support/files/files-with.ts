import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The files under a folder that contain a text, in UTF-8 or UTF-16. */
export async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) found.push(...(await filesWith(path, text)))
    if (!entry.isFile()) continue
    const content = await readFile(path).catch(() => Buffer.alloc(0))
    if (content.includes(text) || content.includes(Buffer.from(text, 'utf16le'))) found.push(path)
  }
  return found
}
