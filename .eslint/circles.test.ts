import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inProject } from '../electron/launcher/base/paths.mjs'
import { resolveImport } from './rules.mjs'

type Graph = ReadonlyMap<string, ReadonlySet<string>>

const endings = ['', '.ts', '.d.ts', '.vue', '.mjs', '/index.ts']

const files = new Set(
  ['electron', 'src'].flatMap((top) =>
    readdirSync(inProject(top), { recursive: true, encoding: 'utf8' })
      .map((path) => `${top}/${path.replaceAll('\\', '/')}`)
      .filter((path) => /\.(?:ts|vue|mjs)$/.test(path)),
  ),
)

/** The files that a file imports, for types alone too, which knip leaves out. */
function importsOf(file: string): string[] {
  const text = readFileSync(inProject(file), 'utf8')
  return [...text.matchAll(/(?:\bfrom|\bimport\s*\(?)\s*'([^']+)'/g)].flatMap(([, specifier]) => {
    const target = resolveImport(specifier!, file)
    if (!('path' in target)) return []
    const found = endings.map((ending) => target.path + ending).find((path) => files.has(path))
    return found === undefined || found === file ? [] : [found]
  })
}

const graph: Graph = new Map([...files].map((file) => [file, new Set(importsOf(file))]))

/** The same between folders. */
function foldersOf(imports: Graph): Graph {
  const folders = new Map<string, Set<string>>()
  for (const [file, targets] of imports) {
    const folder = posix.dirname(file)
    const found = folders.get(folder) ?? new Set()
    for (const target of targets) if (posix.dirname(target) !== folder) found.add(posix.dirname(target))
    folders.set(folder, found)
  }
  return folders
}

/** Repeatedly removes what imports nothing of the rest. What is left are circles, and what imports them. */
function circlesIn(imports: Graph): string[] {
  const left = new Set(imports.keys())
  for (let size = -1; size !== left.size;) {
    size = left.size
    for (const one of left) if (![...(imports.get(one) ?? [])].some((to) => left.has(to))) left.delete(one)
  }
  return [...left]
}

describe('circles', () => {
  it('are found', () => {
    const imports: Graph = new Map([
      ['a/x', new Set(['b/y'])],
      ['b/y', new Set(['a/z'])],
      ['a/z', new Set()],
    ])
    expect(circlesIn(imports)).toEqual([])
    expect(circlesIn(foldersOf(imports))).toEqual(['a', 'b'])
    expect([...(graph.get('src/main.ts') ?? [])]).toContain('src/App.vue')
  })

  it('of files there are none', () => expect(circlesIn(graph)).toEqual([]))

  it('of folders there are none', () => expect(circlesIn(foldersOf(graph))).toEqual([]))
})
