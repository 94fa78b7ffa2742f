import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { boundaryOf } from './boundaries.mjs'
import { inProject } from '../electron/launcher/base/paths.mjs'

const files = ['.eslint', '.github', '.vscode', 'electron', 'src', 'test']
  .flatMap((folder) =>
    readdirSync(inProject(folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.replaceAll('\\', '/')}`,
    ),
  )
  .concat(readdirSync(inProject('.')))

const documents = files.filter((path) => path.endsWith('.md'))

/** Paths from the project's folder, as documents write them: `electron/main/http`. */
const paths = /`((?:\.eslint|\.github|electron|src|test)(?:\/[\w.-]+)+)\/?`/g
const links = /\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g

/** Names of files, alone or with the end of their path: `list-query.ts`, `drafts/index.test.ts`. */
const fileNames = /`((?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|cjs|vue))`/g

/** The ends of all paths: of `src/api/index.ts`, `api/index.ts` and `index.ts` as well. */
const pathEnds = new Set(
  files.flatMap((path) => {
    const parts = path.split('/')
    return parts.map((_part, from) => parts.slice(from).join('/'))
  }),
)

/** Stands for any file, in a rule or a recipe. */
const anyFile = ['X.ts', 'YourScreen.vue']

/** The documents that name functions and constants. Others describe the past, or the systems underneath. */
const documentsOfCode = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'THREAT-MODEL.md'].map(
  (name) => `.github/${name}`,
)

/** The folders that are a layer of a process, in the table of layers. */
const layerFolders = [...new Set(files.map((path) => boundaryOf(path)))].flatMap((boundary) =>
  (boundary?.layers ?? [])
    .flat()
    .filter((layer) => layer.endsWith('/'))
    .map((layer) => `${boundary!.folder}/${layer.slice(0, -1)}`),
)

/** What is between backticks and may be code: no spaces, slashes or hyphens. */
const codeSpans = /`([\w.()]+)`/g
const camelCase = /\b[a-z]+\d*[A-Z]\w*/g

/** Names of Electron, Node and the interface that the code itself doesn't write. */
const namesOfOthers: readonly string[] = []

const namesInCode = new Set(
  files
    .filter((path) => /\.(?:ts|mjs|cjs|vue|json)$/.test(path))
    .flatMap((path) => readFileSync(inProject(path), 'utf8').match(/\w+/g) ?? []),
)

const spansIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, span]) => span!)

describe('a document', () => {
  it.each(documents)('%s names only what is there', (document) => {
    const text = readFileSync(inProject(document), 'utf8')
    const linked = spansIn(text, links).map((path) => join(dirname(document), path))
    const isThere = (path: string): boolean => [path, `${path}.ts`].some((one) => existsSync(inProject(one)))
    const missing = [...spansIn(text, paths), ...linked].filter((path) => !isThere(path))
    const missingFiles = spansIn(text, fileNames).filter(
      (name) => !pathEnds.has(name) && !anyFile.includes(name),
    )
    expect([...missing, ...missingFiles]).toEqual([])
  })

  it.each(documentsOfCode)('%s names only code that is there', (document) => {
    const text = readFileSync(inProject(document), 'utf8')
    const names = spansIn(text, codeSpans).flatMap((span) => span.match(camelCase) ?? [])
    expect(names.filter((name) => !namesInCode.has(name) && !namesOfOthers.includes(name))).toEqual([])
  })

  it('is there for every layer and folder of code of more than two files', () => {
    const isLarge = (folder: string): boolean =>
      files.filter((path) => dirname(path) === folder && /\.(?:ts|mjs|cjs|vue)$/.test(path)).length > 2
    const folders = new Set(
      files.map((path) => dirname(path)).filter((path) => /^(?:electron|src)\//.test(path)),
    )
    expect(layerFolders.length).toBeGreaterThan(50)
    expect([...folders]).toEqual(expect.arrayContaining(layerFolders))
    expect(
      [...folders].filter((folder) => isLarge(folder) && !documents.includes(`${folder}/README.md`)),
    ).toEqual([])
  })
})
