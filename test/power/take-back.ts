/**
 * Shows what the tests notice: takes past mends back, one at a time, in the source alone, and runs tests that should
 * fail then. Run it by hand, `npx tsx test/power/take-back.ts [COMMIT…]`; it works in a copy, and prints a table.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { JsonTestResults } from 'vitest/reporters'
import { type Mend, mends } from './mends'

const source = resolve(import.meta.dirname, '../..')
const copy = mkdtempSync(join(tmpdir(), 'slipway-power-'))

const git = (...given: string[]): string =>
  execFileSync('git', ['-c', 'user.name=power', '-c', 'user.email=power@localhost', ...given], {
    cwd: copy,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })

const isSource = (file: string): boolean => /^(?:electron|src)\/.*\.(?:ts|vue|css)$/.test(file)

/** Takes a mend back in the source. Returns whether that still applies. */
function takeBack({ commit, undo }: Mend): boolean {
  if (undo) {
    const path = join(copy, undo.file)
    const parts = existsSync(path) ? readFileSync(path, 'utf8').split(undo.now) : []
    if (parts.length !== 2) return false
    writeFileSync(path, parts.join(undo.then))
    return true
  }
  try {
    git('revert', '--no-commit', commit)
  } catch {
    // There are conflicts, which matter in the source only.
  }
  if (git('diff', '--name-only', '--diff-filter=U').split('\n').some(isSource)) return false
  const patch = git('diff', '--binary', 'HEAD', '--', 'electron', 'src')
  git('reset', '--quiet', '--hard')
  if (patch === '') return false
  execFileSync('git', ['apply', '-'], { cwd: copy, input: patch })
  return true
}

/** Test files' folders by vitest's projects, each of which takes a while to start. */
const projects = {
  'test/unit/src/': 'renderer*',
  'test/unit/electron/': 'unit*',
  'test/service/': 'service*',
}

/** Runs the tests of a mend, and says whether they noticed. */
function run(tests: readonly string[]): string {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  spawnSync(
    'npx',
    [
      ...['vitest', 'run', ...tests, '--config', 'test/vitest.config.ts'],
      ...Object.entries(projects).flatMap(([folder, name]) =>
        tests.some((test) => test.startsWith(folder)) ? ['--project', name] : [],
      ),
      ...['--passWithNoTests', '--bail=1', '--reporter=json', '--outputFile.json', report],
    ],
    { cwd: copy, stdio: 'ignore' },
  )
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JsonTestResults
  const failed = testResults
    .flatMap((file) => file.assertionResults)
    .find(({ status }) => status === 'failed')
  if (failed) return `caught: ${failed.fullName.slice(0, 70)}`
  return testResults.some(({ status }) => status === 'failed') ? "doesn't load" : 'NOT CAUGHT'
}

try {
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-tags', source, copy])
  // Processes of the service run as they were built: only what runs in the tests' own process is taken back.
  for (const name of ['node_modules', 'out']) symlinkSync(join(source, name), join(copy, name))
  const wanted = process.argv.slice(2)
  const counts = new Map<string, number>()
  for (const mend of mends) {
    const { commit, subject, tests } = mend
    if (wanted.length > 0 && !wanted.includes(commit)) continue
    const result = takeBack(mend) ? run(tests) : 'no longer applies'
    git('reset', '--quiet', '--hard')
    git('clean', '--quiet', '--force', '-d', '--exclude=node_modules', '--exclude=out')
    const [kind = ''] = result.split(':')
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    process.stdout.write(`${commit} ${subject.slice(0, 70).padEnd(72)} ${result}\n`)
  }
  process.stdout.write(`${[...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')}\n`)
} finally {
  rmSync(copy, { recursive: true, force: true })
}
