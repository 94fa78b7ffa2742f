/**
 * Shows what the tests notice: takes past mends back, one at a time, in the source alone, and runs tests that should
 * fail then. Run it by hand, `npx tsx test/power/take-back.ts [COMMIT…]`; it works in a copy, and prints a table.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
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

/** Takes a mend back in the source. Returns the changed files, none if that no longer applies. */
function takeBack({ commit, undo }: Mend): string[] {
  if (undo) {
    const path = join(copy, undo.file)
    const parts = readFileSync(path, 'utf8').split(undo.now)
    if (parts.length !== 2) return []
    writeFileSync(path, parts.join(undo.then))
    return [undo.file]
  }
  try {
    git('revert', '--no-commit', commit)
  } catch {
    // There are conflicts, which matter in the source only.
  }
  if (git('diff', '--name-only', '--diff-filter=U').split('\n').some(isSource)) return []
  const patch = git('diff', '--binary', 'HEAD', '--', 'electron', 'src')
  git('reset', '--quiet', '--hard')
  if (patch !== '') execFileSync('git', ['apply', '-'], { cwd: copy, input: patch })
  return git('diff', '--name-only', '--diff-filter=d').split('\n').filter(isSource)
}

/** The projects that tests belong to; all, if none is named. Each takes a while to start. */
function projectsOf(tests: readonly string[]): string[] {
  const folders = {
    'renderer*': 'test/unit/src/',
    'unit*': 'test/unit/electron/',
    'service*': 'test/service/',
  }
  const names = Object.entries(folders).filter(([, folder]) => tests.some((test) => test.startsWith(folder)))
  return (names.length > 0 ? names : Object.entries(folders)).map(([name]) => name)
}

/** Runs tests: the named ones, or those that import the changed files. */
function run(changed: readonly string[], tests: readonly string[]): string {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  spawnSync(
    'npx',
    [
      'vitest',
      ...(tests.length > 0 ? ['run', ...tests] : ['related', '--run', ...changed]),
      ...['--config', 'test/vitest.config.ts', ...projectsOf(tests).flatMap((name) => ['--project', name])],
      ...['--passWithNoTests', '--bail=1', '--reporter=json', '--outputFile.json', report],
    ],
    { cwd: copy, stdio: 'ignore' },
  )
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { status: string; assertionResults: { status: string; fullName: string }[] }[]
  }
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
    const { commit, subject, tests = [] } = mend
    if (wanted.length > 0 && !wanted.includes(commit)) continue
    const changed = takeBack(mend)
    const result = changed.length === 0 ? 'no longer applies' : run(changed, tests)
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
