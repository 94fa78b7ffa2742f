// What of the test tools' JSON reports is read.

/**
 * @typedef {object} VitestReport
 * @property {boolean} success
 * @property {VitestFile[]} testResults
 *
 * @typedef {object} VitestFile
 * @property {string} status
 * @property {string} [name] path of the file
 * @property {{ status: string, fullName?: string, meta?: { tried?: number } }[]} assertionResults
 *
 * @typedef {object} PlaywrightReport
 * @property {{ expected: number, unexpected: number, flaky: number, skipped: number }} stats
 * @property {unknown[]} errors
 * @property {PlaywrightSuite[]} suites
 *
 * @typedef {object} PlaywrightSuite
 * @property {string} [title] of a group of tests, or the file's name
 * @property {string} file
 * @property {PlaywrightSuite[]} [suites]
 * @property {{ ok: boolean, title: string, tests: PlaywrightTest[] }[]} specs
 *
 * @typedef {object} PlaywrightTest
 * @property {'expected' | 'unexpected' | 'flaky' | 'skipped'} status
 * @property {{ type: string, description?: string }[]} annotations
 * @property {{ status: string, error?: { message?: string } }[]} [results] one a run, the first run first
 */

/**
 * What a test tried and how much of it held.
 *
 * @typedef {object} Trial
 * @property {string} file its path, with slashes
 * @property {string} title its own, after those of the groups that it is in where the tool gives them
 * @property {number} tried inputs, as the tests say, one a test that does not say
 * @property {number} held of those, the ones of tests that passed
 */

/**
 * The trials of a Playwright report, one a test. A test says by an annotation "tried" how many inputs it tried.
 * Skipped tests are none.
 *
 * @param {readonly PlaywrightSuite[]} suites
 * @returns {Trial[]}
 */
export function playwrightTrials(suites) {
  return suites.flatMap((suite) => [
    ...playwrightTrials(suite.suites ?? []),
    ...suite.specs.flatMap(({ title, tests }) =>
      tests
        .filter(({ status }) => status !== 'skipped')
        .map(({ status, annotations }) => {
          const said = annotations.find(({ type }) => type === 'tried')?.description
          return trial(suite.file, title, Number(said ?? 1), status !== 'unexpected')
        }),
    ),
  ])
}

/**
 * A test that passed only when it was repeated.
 *
 * @typedef {object} Repeated
 * @property {string} title its own and those of the groups that it is in, from the outermost
 * @property {string} file
 * @property {string} reason why its first run failed, in the tool's words
 */

/**
 * The tests of a Playwright report that passed only when they were repeated.
 *
 * @param {readonly PlaywrightSuite[]} suites
 * @param {readonly string[]} groups the titles of the groups that they are in
 * @returns {Repeated[]}
 */
export function repeatedTests(suites, groups = []) {
  return suites.flatMap(({ title, file, suites: inner = [], specs }) => {
    const own = title === undefined || title === file ? groups : [...groups, title]
    return [
      ...specs.flatMap((spec) =>
        spec.tests
          .filter(({ status }) => status === 'flaky')
          .map(({ results = [] }) => ({
            title: [...own, spec.title].join(' > '),
            file,
            reason: withoutColours(
              results.find(({ error }) => error)?.error?.message ?? 'It gave no reason.',
            ),
          })),
      ),
      ...repeatedTests(inner, own),
    ]
  })
}

/** @param {string} text as it is written for a terminal */
// eslint-disable-next-line no-control-regex -- that is what begins a colour
const withoutColours = (text) => text.replace(/\u001b\[[0-9;]*m/g, '')

/**
 * The trials of a vitest report. A test says by its meta's `tried` how many inputs it tried.
 *
 * @param {VitestReport} report
 * @returns {Trial[]}
 */
export function vitestTrials({ testResults }) {
  return testResults.flatMap(({ name = '', assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ status, fullName = '', meta }) => trial(name, fullName, meta?.tried ?? 1, status === 'passed')),
  )
}

/**
 * @param {string} path
 * @param {string} title
 * @param {number} tried
 * @param {boolean} held
 * @returns {Trial}
 */
const trial = (path, title, tried, held) => ({
  file: path.replaceAll('\\', '/'),
  title,
  tried,
  held: held ? tried : 0,
})
