// npm test runs every suite but those on request, even after one failed. The last line on standard output is "N passed,
// N failed" over all suites. Tests that failed, or passed only on a retry, are listed before it. npm run test:trust runs
// those that can try more, and what takes long.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { JSONReportSuite, JSONReportTest } from '@playwright/test/reporter'
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
  /** Runs beside the next suite: it leaves a core idle, or waits for much of its time. */
  together?: boolean
  /** Runs only if it is named. */
  onRequest?: boolean
  /**
   * Sets up what this suite needs besides the dependencies, and runs it with further arguments for its tool. Rejects with
   * a SetupFailure if it can't run.
   */
  run: (args: readonly string[]) => Promise<Run>
}

/** What a suite's tool reports, and its exit status. */
interface Run {
  results: Result[]
  status: number
}

const suites: Record<string, Suite> = {
  typecheck: {
    together: true,
    run: async () => ({ results: [], status: await tool('vue-tsc/bin/vue-tsc.js', ['--noEmit']) }),
  },
  lint: {
    run: async () => {
      const statuses = await Promise.all([
        tool('eslint/bin/eslint.js', ['--max-warnings', '0', '.']),
        tool('tsx/dist/cli.mjs', ['.eslint/typed-rules.ts']),
        tool('oxfmt/bin/oxfmt', ['--check', '.']),
        tool('knip/bin/knip.js', ['--config', '.eslint/knip.config.ts']),
      ])
      return { results: [], status: statuses.find((status) => status !== 0) ?? 0 }
    },
  },
  faults: {
    together: true,
    run: async (args) =>
      runVitest('faults', ['--project', 'faults', ...args], environmentFor(await ensureElectronForTests())),
  },
  unit: { run: (args) => runVitest('unit', ['--project', 'unit*', '--project', 'renderer*', ...args]) },
  postgres: {
    together: true,
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
  e2e: { run: (args) => runPlaywright('e2e', args) },
  // Installs packages, as root on a Debian-like system, and takes minutes.
  packages: { onRequest: true, run: (args) => runVitest('packages', ['--project', 'packages', ...args]) },
  // What npm run test:trust adds: a soak, and attacks that take minutes each.
  trust: { onRequest: true, run: (args) => runPlaywright('trust', args, 'test/trust/playwright.config.ts') },
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
      `name one suite before it: ${Object.keys(suites).join(', ')}. For example: npm test -- e2e smoke.spec.ts`,
    )
  }
  const rows: Row[] = []
  const lanes: Promise<Row>[] = []
  for (const [name, suite] of Object.entries(suites)) {
    if (named.length > 0 ? !named.includes(name) : suite.onRequest) continue
    lanes.push(runSuite(name, suite, args))
    if (suite.together) continue
    rows.push(...(await Promise.all(lanes.splice(0))))
    if (interruption()) throw new SetupFailure(`The tests were interrupted by ${interruption()}.`, 'npm test')
  }
  rows.push(...(await Promise.all(lanes)))
  const all = rows.flatMap(({ results }) => results)
  const failed = count(all, 'failed')
  const lists = [listFailed(all), listRepeated(all)].join('')
  const passed = passedOf(all)
  process.stdout.write(`\n${table(rows)}\n${lists}\n${passed} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}

async function runSuite(name: string, suite: Suite, args: readonly string[]): Promise<Row> {
  process.stdout.write(`\n== ${name} ==\n`)
  const started = Date.now()
  const seconds = (): number => (Date.now() - started) / 1_000
  try {
    return { name, results: withVerdict(name, await suite.run(args)), seconds: seconds() }
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error
    printStatus(`the suite ${name} cannot be run. ${error.message}`)
    printStatus(`what to do: ${error.remedy}`)
    return { name, results: [failure(name, 'cannot be run', error.message)], seconds: seconds() }
  }
}

/** Tools without tests count as one. One that ran no test, or failed without a failed test, has failed. */
export function withVerdict(name: string, { results, status }: Run): Result[] {
  const isTool = name === 'typecheck' || name === 'lint'
  if (isTool && status === 0) return [{ ...failure(name, ''), outcome: 'passed' }]
  if (count(results, 'failed') > 0) return results
  return passedOf(results) > 0 && status === 0
    ? results
    : [...results, failure(name, 'failed without naming a test')]
}

const count = (results: readonly Result[], wanted: Result['outcome']): number =>
  results.filter(({ outcome }) => outcome === wanted).length

/** How many tests passed, at once or only on a retry. */
const passedOf = (results: readonly Result[]): number => count(results, 'passed') + count(results, 'repeated')

/** The tests that failed, with the beginning of the reason: what the tools printed of them may be far above. */
function listFailed(results: readonly Result[]): string {
  const lines = results
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ file, title, reason }) => {
      const beginning = reason.split('\n', 5).map((line) => `    ${line}\n`)
      return `  ${file}: ${title}\n${beginning.join('')}`
    })
  return lines.length === 0 ? '' : `\nFailed\n${lines.join('')}`
}

/**
 * The tests that passed only on a retry; writes why they failed at first into a file. They don't fail the run, since
 * the machine may be at fault, but each one has a cause to find.
 */
function listRepeated(results: readonly Result[]): string {
  const path = 'test-results/repeated.txt'
  rmSync(inProject(path), { force: true })
  const repeated = results.filter(({ outcome }) => outcome === 'repeated')
  if (repeated.length === 0) return ''
  mkdirSync(dirname(inProject(path)), { recursive: true })
  const reasons = repeated.map(({ file, title, reason }) => `${file}: ${title}\n\n${reason}\n\n`)
  writeFileSync(inProject(path), reasons.join(''))
  const names = repeated.map(({ file, title }) => `  ${file}: ${title}\n`).join('')
  return `\nPassed only when repeated; find the cause of each (why they failed: ${path})\n${names}`
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ name, results, seconds }) => {
    const others = (['failed', 'skipped', 'repeated'] as const).map((outcome) => count(results, outcome))
    const inputs = results.reduce((sum, { tried }) => sum + tried, 0)
    return [name, passedOf(results), ...others, inputs, seconds.toFixed(1)]
  })
  return [['suite', 'passed', 'failed', 'skipped', 'repeated', 'inputs', 'seconds'], ...lines]
    .map(
      ([name, ...cells]) => String(name).padEnd(10) + cells.map((cell) => String(cell).padStart(9)).join(''),
    )
    .join('\n')
}

/** Runs vitest with these arguments and environment, this process's by default. */
async function runVitest(name: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Run> {
  const report = freshReport(name)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const status = await tool(
    'vitest/vitest.mjs',
    ['run', '--config=test/vitest.config.ts', ...reporters, ...args],
    env,
  )
  return { results: vitestResults(readReport(report, { testResults: [] })), status }
}

/** Sets up what end-to-end tests need, and runs Playwright. */
async function runPlaywright(
  name: string,
  args: readonly string[],
  config = 'test/e2e/playwright.config.ts',
): Promise<Run> {
  const electron = await ensureElectronForTests()
  await ensureBuild()
  const report = freshReport(name)
  const status = await tool(
    '@playwright/test/cli.js',
    ['test', `--config=${config}`, '--reporter=list,json', ...args],
    { ...environmentFor(electron), PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  )
  return { results: playwrightResults(readReport(report, { errors: [], suites: [] })), status }
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

/** @param otherwise the report of a tool that wrote none */
function readReport<T>(path: string, otherwise: T): T {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch {
    return otherwise
  }
}

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

/** What is read of the report of a tool. */
export interface VitestReport {
  testResults: {
    status: string
    name?: string
    /** Why the file could not be loaded. */
    message?: string
    assertionResults: {
      status: string
      fullName?: string
      failureMessages?: readonly string[]
      meta?: { tried?: number }
    }[]
  }[]
}

/** The same of Playwright's. */
export interface PlaywrightReport {
  errors: { message?: string }[]
  suites: PlaywrightSuite[]
}

/** A file, or a group of tests in it. */
type PlaywrightSuite = Pick<JSONReportSuite, 'title' | 'file'> & {
  suites?: PlaywrightSuite[]
  specs: {
    title: string
    tests: (Pick<JSONReportTest, 'status' | 'annotations'> & {
      results: { error?: { message?: string } }[]
    })[]
  }[]
}

/** A test failed in a way that the tool says elsewhere. */
export const failure = (file: string, title: string, reason = ''): Result => ({
  ...{ file: file.replaceAll('\\', '/'), title, outcome: 'failed', tried: 1 },
  // eslint-disable-next-line no-control-regex -- a terminal's colour begins with it
  reason: reason.replace(/\u001b\[[0-9;]*m/g, '') || 'Its own output says why.',
})

/** The tests of a vitest report. A file that could not be loaded has none, and counts as one that failed. */
export const vitestResults = ({ testResults }: VitestReport): Result[] =>
  testResults.flatMap(({ name = '', status: whole, message, assertionResults }) => {
    const results = assertionResults.map(({ status, fullName = '', failureMessages = [], meta }): Result => {
      const outcome = status === 'passed' || status === 'failed' ? status : 'skipped'
      return { ...failure(name, fullName, failureMessages[0]), outcome, tried: meta?.tried ?? 1 }
    })
    const failed = results.some(({ outcome }) => outcome === 'failed')
    return whole === 'failed' && !failed ? [...results, failure(name, '', message)] : results
  })

const outcomes = { expected: 'passed', unexpected: 'failed', flaky: 'repeated', skipped: 'skipped' } as const

/** The tests of a Playwright report, and a failure for each error outside a test. */
export const playwrightResults = ({ errors, suites }: PlaywrightReport): Result[] => [
  ...errors.map(({ message }) => failure('', 'outside a test', message)),
  ...suites.flatMap((suite) => resultsIn(suite, [])),
]

function resultsIn(
  { title, file, suites = [], specs }: PlaywrightSuite,
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
