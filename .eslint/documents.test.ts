import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inProject } from '../electron/launcher/base/paths.mjs'

const documents = ['.github', 'electron', 'src', 'test']
  .flatMap((folder) =>
    readdirSync(inProject(folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  )
  .concat('README.md')
  .filter((path) => path.endsWith('.md'))

/** Paths from the project's folder, as documents write them: `electron/main/http`. */
const paths = /`((?:\.eslint|\.github|electron|src|test)(?:\/[\w.-]+)+)\/?`/g
const links = /\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g

describe('a document', () => {
  it.each(documents)('%s names only what is there', (document) => {
    const text = readFileSync(inProject(document), 'utf8')
    const named = [...text.matchAll(paths)].map(([, path]) => path!)
    const linked = [...text.matchAll(links)].map(([, path]) => join(dirname(document), path!))
    const isThere = (path: string): boolean => [path, `${path}.ts`].some((one) => existsSync(inProject(one)))
    expect([...named, ...linked].filter((path) => !isThere(path))).toEqual([])
  })
})
