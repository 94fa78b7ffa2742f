import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { ensureBuild } from '../setup/build.mjs'
import { ensureElectronBinary, environmentFor } from '../engine/electron-binary.mjs'
import { inProject } from '../base/paths.mjs'
import { runInForeground } from '../base/processes.mjs'
import { playwrightFailures, vitestFailures } from './reports.mjs'
import { ensurePostgres } from '../setup/postgres.mjs'
import { ensureSystemLibraries, ensureTestPrograms } from '../setup/system-libraries.mjs'

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {readonly import('./reports.mjs').FailedTest[]} failures as far as the tool names them
 * @property {readonly import('./reports.mjs').FailedTest[]} repeated those that passed only on a retry
 */

/**
 * @typedef {object} Suite
 * @property {string} name as on the command line
 * @property {boolean} [together] runs beside the next suite: it leaves a core idle
 * @property {boolean} [onRequest] runs only if it is named
 * @property {(args: readonly string[]) => Promise<Counts>} run sets up what this suite needs besides the
 *   dependencies, runs it with further arguments for its tool, and counts; rejects with a SetupFailure if it can't run
 */

const reports = inProject('.cache/test-reports')

/** @param {string} path inside node_modules */
const tool = (path) => inProject('node_modules', path)

/** @type {readonly Suite[]} */
export const suites = [
  {
    name: 'typecheck',
    together: true,
    run: async () => asOneTest(await node(tool('vue-tsc/bin/vue-tsc.js'), ['--noEmit'])),
  },
  {
    name: 'lint',
    run: async () => {
      // ESLint uses one core, and takes longer than all others.
      const [rules, others] = await Promise.all([
        node(tool('eslint/bin/eslint.js'), ['--max-warnings', '0', '.']),
        (async () => {
          const format = await node(tool('prettier/bin/prettier.cjs'), ['--check', '.'])
          const unused = await node(tool('knip/bin/knip.js'), ['--config', '.eslint/knip.config.ts'])
          return format || unused
        })(),
      ])
      return asOneTest(rules || others)
    },
  },
  {
    name: 'unit',
    run: async (args) => {
      const { report, status } = await runVitest('unit', [
        ...['--project', 'unit*', '--project', 'renderer*'],
        ...args,
      ])
      return insistOnTests(countVitest(report), status)
    },
  },
  {
    name: 'service',
    run: async (args) => {
      await ensureBuild()
      const { report, status } = await runVitest('service', ['--project', 'service', ...args])
      return insistOnTests(countVitest(report), status)
    },
  },
  {
    name: 'postgres',
    run: async (args) => {
      await ensurePostgres()
      await ensureBuild()
      const { report, status } = await runVitest('postgres', ['--project', 'postgres', ...args])
      return insistOnTests(countVitest(report), status)
    },
  },
  {
    name: 'faults',
    run: async (args) => {
      const variables = environmentFor(await ensureElectronForTests())
      const { report, status } = await runVitest('faults', ['--project', 'faults', ...args], variables)
      return insistOnTests(countVitest(report), status)
    },
  },
  {
    name: 'e2e',
    run: async (args) => {
      const { report, status } = await runPlaywright('e2e', args)
      return insistOnTests(countPlaywright(report), status)
    },
  },
  {
    // Installs packages, as root on a Debian-like system, and takes minutes.
    name: 'packages',
    onRequest: true,
    run: async (args) => {
      const { report, status } = await runVitest('packages', ['--project', 'packages', ...args])
      return insistOnTests(countVitest(report), status)
    },
  },
]

/**
 * Counts the tests of vitest's JSON report. A file that could not be loaded has no tests and counts as one failure. So
 * does a run that failed for a reason outside its tests.
 *
 * @param {import('./reports.mjs').VitestReport} report
 * @returns {Counts}
 */
export function countVitest(report) {
  const tests = report.testResults.flatMap((file) => file.assertionResults)
  const passed = tests.filter(({ status }) => status === 'passed').length
  const failedTests = tests.filter(({ status }) => status === 'failed').length
  const failedFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  ).length
  const failed = failedTests + failedFiles
  return {
    passed,
    failed: failed === 0 && !report.success ? 1 : failed,
    skipped: tests.length - passed - failedTests,
    failures: vitestFailures(report),
    repeated: [],
  }
}

/**
 * Counts the tests of Playwright's JSON report. A test that passed on a retry counts as passed, and is listed. Each
 * error outside a test counts as one failure.
 *
 * @param {import('./reports.mjs').PlaywrightReport} report
 * @returns {Counts}
 */
export function countPlaywright({ stats, errors, suites }) {
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
    failures: playwrightFailures(suites, 'unexpected'),
    repeated: playwrightFailures(suites, 'flaky'),
  }
}

/**
 * Adds a failure if no test ran, or if the tool failed without a failed test.
 *
 * @param {Counts} counts
 * @param {number} status the tool's exit status
 * @returns {Counts}
 */
export function insistOnTests(counts, status) {
  const isPlausible = counts.failed > 0 || (counts.passed > 0 && status === 0)
  return isPlausible ? counts : { ...counts, failed: 1 }
}

/**
 * @param {number} status
 * @returns {Counts}
 */
const asOneTest = (status) => ({
  passed: status === 0 ? 1 : 0,
  failed: status === 0 ? 0 : 1,
  skipped: 0,
  failures: [],
  repeated: [],
})

/**
 * @param {string} script
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
const node = (script, args, env) => runInForeground(process.execPath, [script, ...args], { env })

/**
 * Runs vitest. Resolves with its JSON report and exit status.
 *
 * @param {string} name of the report
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [variables] its environment; this process's by default
 * @returns {Promise<{ report: import('./reports.mjs').VitestReport, status: number }>}
 */
export async function runVitest(name, args, variables) {
  const path = freshReport(name)
  const status = await node(
    tool('vitest/vitest.mjs'),
    [
      'run',
      '--config=test/vitest.config.ts',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${path}`,
      ...args,
    ],
    variables,
  )
  return { report: readReport(path, { success: false, testResults: [] }), status }
}

/**
 * Sets up what end-to-end tests need and runs Playwright. Resolves with its JSON report and exit status.
 *
 * @param {string} name of the report
 * @param {readonly string[]} args
 * @param {{ config?: string, variables?: NodeJS.ProcessEnv }} [options] `config` is its configuration's path
 * @returns {Promise<{ report: import('./reports.mjs').PlaywrightReport, status: number }>}
 */
export async function runPlaywright(
  name,
  args,
  { config = 'test/e2e/playwright.config.ts', variables } = {},
) {
  const electron = await ensureElectronForTests()
  await ensureBuild()
  const path = freshReport(name)
  const status = await node(
    tool('@playwright/test/cli.js'),
    ['test', `--config=${config}`, '--reporter=list,json', ...args],
    { ...environmentFor(electron), ...variables, PLAYWRIGHT_JSON_OUTPUT_FILE: path },
  )
  const none = { stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 0 }, errors: [], suites: [] }
  return { report: readReport(path, none), status }
}

/**
 * Finds or downloads Electron, and sets up what it needs in tests: libraries, a display, a keyring.
 *
 * @returns {Promise<import('../engine/electron-binary.mjs').ElectronBinary>}
 */
export async function ensureElectronForTests() {
  const electron = await ensureElectronBinary()
  await ensureSystemLibraries(electron.path)
  await ensureTestPrograms()
  return electron
}

/** @param {string} name */
function freshReport(name) {
  const path = `${reports}/${name}.json`
  mkdirSync(reports, { recursive: true })
  rmSync(path, { force: true })
  return path
}

/**
 * @template T
 * @param {string} path
 * @param {T} otherwise the report of a tool that wrote none
 * @returns {T}
 */
function readReport(path, otherwise) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return otherwise
  }
}
