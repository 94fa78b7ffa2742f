// npm test runs every suite but those on request, even after one failed. The last line on standard output is "N passed,
// N failed" over all suites. Tests that failed, or passed only on a retry, are listed before it. npm run test:trust runs
// those that can try more, and what takes long.

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { JSONReport, JSONReportSuite } from '@playwright/test/reporter'
import type { JsonTestResults } from 'vitest/reporters'
import { inProject, printStatus, SetupFailure } from './base.mjs'
import { ensureBuild } from './build'
import { type ElectronBinary, ensureElectronBinary, environmentFor } from './engine'
import {
  ensureLibraries,
  ensurePostgres,
  ensureTestPrograms,
  findPostgres,
  interruption,
  runInForeground,
} from './system'

interface Suite {
  /** Runs beside no other: it uses all cores all the time. */
  alone?: boolean
  /** Runs only if it is named. */
  onRequest?: boolean
  /**
   * Sets up what this suite needs besides the dependencies, and runs it with further arguments for its tool. Rejects with
   * a SetupFailure if it can't run.
   */
  run: (args: readonly string[]) => Promise<Result[]>
}

const suites: Record<string, Suite> = {
  typecheck: { run: () => check('typecheck', ['vue-tsc/bin/vue-tsc.js', '--noEmit']) },
  lint: {
    run: () =>
      check(
        'lint',
        ['eslint/bin/eslint.js', '--max-warnings', '0', '.'],
        ['tsx/dist/cli.mjs', '.eslint/typed-rules.ts'],
        ['oxfmt/bin/oxfmt', '--check', '.'],
        ['knip/bin/knip.js', '--config', '.eslint/knip.config.ts'],
      ),
  },
  faults: {
    run: async (args) =>
      runVitest('faults', ['--project', 'faults', ...args], environmentFor(await ensureElectronForTests())),
  },
  unit: { run: (args) => runVitest('unit', ['--project', 'unit*', '--project', 'renderer*', ...args]) },
  postgres: {
    run: async (args) => {
      await ensurePostgres()
      await ensureBuild()
      return runVitest('postgres', ['--project', 'postgres', ...args])
    },
  },
  service: {
    run: async (args) => {
      await ensureBuild()
      return runVitest('service', ['--project', 'service*', ...args])
    },
  },
  e2e: { alone: true, run: (args) => runPlaywright('e2e', args) },
  // Installs packages, as root on a Debian-like system, and takes minutes.
  packages: {
    onRequest: true,
    alone: true,
    run: (args) => runVitest('packages', ['--project', 'packages', ...args]),
  },
  // What npm run test:trust adds: a soak, and attacks that take minutes each.
  trust: {
    onRequest: true,
    alone: true,
    run: (args) => runPlaywright('trust', args, 'test/trust/playwright.config.ts'),
  },
}

/** The suites of npm run test:trust. Where nothing installs PostgreSQL, the others still run. */
export const trustSuites = (): string[] => {
  const names = ['unit', 'service', 'postgres', 'faults', 'e2e', 'trust']
  return process.platform === 'linux' || findPostgres() ? names : names.filter((name) => name !== 'postgres')
}

interface Row {
  name: string
  results: Result[]
  seconds: number
}

/**
 * Runs the suites that are named first (all, if none is), and passes further words to the tool of a single one.
 *
 * @returns the exit status
 */
export async function runSuites(words: readonly string[]): Promise<number> {
  const end = words.findIndex((word) => !(word in suites))
  const named = end < 0 ? words : words.slice(0, end)
  const args = end < 0 ? [] : words.slice(end)
  if (args.length > 0 && named.length !== 1) {
    throw new SetupFailure(
      `"${args.join(' ')}" can't be passed to every suite.`,
      `name one suite before it: ${Object.keys(suites).join(', ')}. For example: npm test -- e2e start.spec.ts`,
    )
  }
  const rows: Row[] = []
  const running = new Set<Promise<void>>()
  const wanted = Object.entries(suites).filter(([name, { onRequest }]) =>
    named.length > 0 ? named.includes(name) : !onRequest,
  )
  for (const [name, suite] of wanted) {
    // Three at once on two cores, since each waits for a part of its time.
    while (running.size > (suite.alone ? 0 : 2)) await Promise.race(running)
    if (interruption()) break
    const one = runSuite(name, suite, args).then((row) => {
      rows.push(row)
      running.delete(one)
    })
    running.add(one)
  }
  await Promise.all(running)
  if (interruption()) throw new SetupFailure(`The tests were interrupted by ${interruption()}.`, 'npm test')
  const all = rows.flatMap(({ results }) => results)
  const [passed, failed] = [passedOf(all), count(all, 'failed')]
  console.table(Object.fromEntries(rows.map(rowOf)))
  const lists = [
    listOf(all, 'failed', 'Failed'),
    // They don't fail the run, since the machine may be at fault, but each has a cause to find.
    listOf(all, 'repeated', 'Passed only when repeated; find the cause of each'),
  ]
  process.stdout.write(`${lists.join('')}\n${passed} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}

async function runSuite(name: string, suite: Suite, args: readonly string[]): Promise<Row> {
  process.stdout.write(`\n== ${name} ==\n`)
  const started = Date.now()
  const seconds = (): number => (Date.now() - started) / 1_000
  try {
    return { name, results: await suite.run(args), seconds: seconds() }
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error
    printStatus(`the suite ${name} cannot be run. ${error.message}`)
    printStatus(`what to do: ${error.remedy}`)
    return { name, results: [failure(name, 'cannot be run', error.message)], seconds: seconds() }
  }
}

const count = (results: readonly Result[], wanted: Result['outcome']): number =>
  results.filter(({ outcome }) => outcome === wanted).length

/** How many tests passed, at once or only on a retry. */
const passedOf = (results: readonly Result[]): number => count(results, 'passed') + count(results, 'repeated')

/** The tests of an outcome, with the beginning of the reason: what the tools printed of them may be far above. */
function listOf(results: readonly Result[], wanted: Result['outcome'], title: string): string {
  const lines = results
    .filter(({ outcome }) => outcome === wanted)
    .map((test) => {
      const beginning = test.reason.split('\n', 5).map((line) => `    ${line}\n`)
      return `  ${test.file}: ${test.title}\n${beginning.join('')}`
    })
  return lines.length === 0 ? '' : `\n${title}\n${lines.join('')}`
}

const rowOf = ({ name, results, seconds }: Row): [string, Record<string, number>] => [
  name,
  {
    passed: passedOf(results),
    failed: count(results, 'failed'),
    skipped: count(results, 'skipped'),
    repeated: count(results, 'repeated'),
    inputs: results.reduce((sum, { tried }) => sum + tried, 0),
    seconds: Math.round(seconds),
  },
]

/** Runs programs of node_modules at once, which count as one test. */
async function check(name: string, ...tools: [path: string, ...args: string[]][]): Promise<Result[]> {
  const statuses = await Promise.all(tools.map(([path, ...args]) => tool(path, args)))
  const failed = statuses.find((status) => status !== 0)
  const passed: Result = { ...failure(name, ''), outcome: 'passed' }
  return withVerdict(name, failed === undefined ? [passed] : [], failed ?? 0)
}

/** Runs vitest with these arguments and environment, this process's by default. */
async function runVitest(name: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Result[]> {
  const report = freshReport(name)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const status = await tool(
    'vitest/vitest.mjs',
    ['run', '--config=test/vitest.config.ts', ...reporters, ...args],
    env,
  )
  return withVerdict(name, read(report, vitestResults), status)
}

/** Sets up what end-to-end tests need, and runs Playwright. */
async function runPlaywright(
  name: string,
  args: readonly string[],
  config = 'test/e2e/playwright.config.ts',
): Promise<Result[]> {
  const electron = await ensureElectronForTests()
  await ensureBuild()
  const report = freshReport(name)
  const status = await tool(
    '@playwright/test/cli.js',
    ['test', `--config=${config}`, '--reporter=list,json', ...args],
    { ...environmentFor(electron), PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  )
  return withVerdict(name, read(report, playwrightResults), status)
}

/** Finds or downloads Electron, and sets up what it needs in tests: libraries, a display, a keyring. */
async function ensureElectronForTests(): Promise<ElectronBinary> {
  const electron = await ensureElectronBinary()
  await ensureLibraries(electron.path)
  await ensureTestPrograms()
  return electron
}

/** Runs a program of node_modules. */
const tool = (path: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<number> =>
  runInForeground(process.execPath, [inProject('node_modules', path), ...args], { env })

function freshReport(name: string): string {
  const path = inProject('.cache/test-reports', `${name}.json`)
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  return path
}

/** The tests of a tool's report; none if it wrote none. */
const read = <T>(path: string, testsOf: (report: T) => Result[]): Result[] =>
  existsSync(path) ? testsOf(JSON.parse(readFileSync(path, 'utf8')) as T) : []

/** A test of a report. */
export interface Result {
  /** Its path, with slashes. */
  file: string
  /** After the titles of its groups, from the outermost; empty for what is outside a test. */
  title: string
  /** "repeated" passed only on a retry. */
  outcome: 'passed' | 'failed' | 'repeated' | 'skipped'
  /** Why it failed first, in the tool's words. */
  reason: string
  /** How many inputs it tried, if it says so. */
  tried: number
}

/** Adds a failure if none of a tool's tests failed, and yet it ran none, or ended with another status than 0. */
export function withVerdict(name: string, results: Result[], status: number): Result[] {
  if (count(results, 'failed') > 0 || (passedOf(results) > 0 && status === 0)) return results
  return [...results, failure(name, 'failed without naming a test')]
}

/** A test failed in a way that the tool says elsewhere. */
export const failure = (file: string, title: string, reason = ''): Result => ({
  ...{ file: file.replaceAll('\\', '/'), title, outcome: 'failed', tried: 1 },
  // eslint-disable-next-line no-control-regex -- a terminal's colour begins with it
  reason: reason.replace(/\u001b\[[0-9;]*m/g, '') || 'Its own output says why.',
})

/** The tests of a vitest report. A file that could not be loaded has none, and counts as one that failed. */
export const vitestResults = ({ testResults }: Pick<JsonTestResults, 'testResults'>): Result[] =>
  testResults.flatMap(({ name, status: whole, message, assertionResults }) => {
    const results = assertionResults.map(({ status, fullName, failureMessages, meta }): Result => {
      const outcome = status === 'passed' || status === 'failed' ? status : 'skipped'
      return { ...failure(name, fullName, failureMessages?.[0]), outcome, tried: meta.tried ?? 1 }
    })
    return whole === 'failed' && count(results, 'failed') === 0
      ? [...results, failure(name, '', message)]
      : results
  })

const outcomes = { expected: 'passed', unexpected: 'failed', flaky: 'repeated', skipped: 'skipped' } as const

/** The tests of a Playwright report, and a failure for each error outside a test. */
export const playwrightResults = ({ errors, suites }: Pick<JSONReport, 'errors' | 'suites'>): Result[] => [
  ...errors.map(({ message }) => failure('', 'outside a test', message)),
  ...suites.flatMap((suite) => resultsIn(suite, [])),
]

function resultsIn(
  { title, file, suites = [], specs }: JSONReportSuite,
  around: readonly string[],
): Result[] {
  const groups = title === file ? around : [...around, title]
  const own = specs.flatMap((spec) =>
    spec.tests.map(({ status, annotations, results }): Result => {
      const tried = annotations.find(({ type }) => type === 'tried')?.description
      const reason = results.find(({ error }) => error)?.error?.message
      return {
        ...failure(file, [...groups, spec.title].join(' > '), reason),
        outcome: outcomes[status],
        tried: Number(tried ?? 1),
      }
    }),
  )
  return [...own, ...suites.flatMap((suite) => resultsIn(suite, groups))]
}
