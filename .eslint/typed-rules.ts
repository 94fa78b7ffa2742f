// Checks the rules of .oxlintrc.json, which need types. oxlint reads TypeScript only, so the script of each component is
// copied, at the same lines, to where TypeScript looks for `X.vue`. Its template and its props are vue-tsc's.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'vue/compiler-sfc'

const folder = '.cache/component-scripts'

/** What importing a component gives, with what components expose. */
const component =
  "export default {} as new () => import('vue').ComponentPublicInstance & Record<string, () => void>\n"

const copies: string[] = []
rmSync(folder, { recursive: true, force: true })
for (const path of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
  if (!path.endsWith('.vue')) continue
  const { script, scriptSetup } = parse(readFileSync(join('src', path), 'utf8')).descriptor
  let copy = ''
  for (const block of [script, scriptSetup]) {
    if (!block) continue
    // The content begins behind the tag, with a line break.
    copy += '\n'.repeat(block.loc.start.line - copy.split('\n').length)
    const { generic } = block.attrs
    if (typeof generic === 'string') {
      const [name, type = 'unknown'] = generic.split(' extends ')
      copy += `type ${name} = ${type}`
    }
    copy += block.content
  }
  const target = join(folder, 'src', `${path}.ts`)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, copy + component)
  copies.push(target)
}
// Each name of a path leads to the sources first, and then to the copies.
const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as {
  compilerOptions: { paths: Record<string, string[]> }
}
const paths = Object.entries(compilerOptions.paths).map(([name, targets]) => [
  name,
  [...targets.map((target) => `../../${target}`), ...targets],
])
writeFileSync(
  join(folder, 'tsconfig.json'),
  JSON.stringify({
    extends: '../../tsconfig.json',
    compilerOptions: { rootDirs: ['src', '../../src'], paths: Object.fromEntries(paths) as object },
    include: ['src', '../../src/*.d.ts'],
  }),
)

const oxlint = ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings']
const { status } = spawnSync(process.execPath, [...oxlint, 'electron', 'src', ...copies], {
  stdio: 'inherit',
})
process.exitCode = status ?? 1
