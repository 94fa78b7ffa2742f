import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Tests of guarantees that several files provide together. */
const exempt = ['test/unit/guarantees/', 'test/unit/fuzz/']

const endings = ['.ts', '.vue', '.mjs', '.cjs', '/index.ts', '/index.mjs']

/** Whether a unit test is beside its source in the mirrored tree: X.test.ts or X.facet.test.ts for X or X/index. */
function mirrorsSource(test: string, exists: (path: string) => boolean): boolean {
  const path = test.replace(/^test\/unit\//, '').replace(/\.test\.ts$/, '')
  const withoutFacet = path.replace(/\.[^./]+$/, '')
  return [path, withoutFacet].some((source) => endings.some((ending) => exists(source + ending)))
}

it('has every unit test mirror a source file', () => {
  const tests = readdirSync('test/unit', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/unit/${path.replaceAll('\\', '/')}`)
  const mirroring = tests.filter((path) => !exempt.some((folder) => path.startsWith(folder)))
  expect(mirroring).not.toHaveLength(0)
  expect(mirroring.filter((path) => !mirrorsSource(path, existsSync))).toEqual([])
})

it.each([
  ['test/unit/src/stores/app.test.ts', true],
  ['test/unit/src/App.test.ts', true],
  ['test/unit/src/stores/app.attacks.test.ts', true],
  ['test/unit/electron/main/journal.test.ts', true],
  ['test/unit/electron/main/journal.attacks.test.ts', true],
  ['test/unit/src/stores/stores.test.ts', false],
  ['test/unit/src/stores/app-attacks.test.ts', false],
  ['test/unit/stores/app.test.ts', false],
])('%s mirrors a source: %s', (test, mirrors) => {
  const sources = ['src/stores/app.ts', 'src/App.vue', 'electron/main/journal/index.ts']
  expect(mirrorsSource(test, (path) => sources.includes(path))).toBe(mirrors)
})
