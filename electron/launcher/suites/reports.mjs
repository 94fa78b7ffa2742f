// Reads the JSON reports of the test tools.

/**
 * @typedef {object} VitestReport
 * @property {boolean} success
 * @property {VitestFile[]} testResults
 *
 * @typedef {object} VitestFile
 * @property {string} status
 * @property {string} [name] path of the file
 * @property {VitestTest[]} assertionResults
 * @property {string} [message] why the file could not be loaded
 *
 * @typedef {object} VitestTest
 * @property {string} status
 * @property {string} [fullName]
 * @property {readonly string[]} [failureMessages]
 * @property {{ tried?: number }} [meta]
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
 * @property {{ status: string, error?: { message?: string } }[]} [results] one for each run, in order
 */

/**
 * How many inputs a test tried, and for how many it passed.
 *
 * @typedef {object} Trial
 * @property {string} file its path, with slashes
 * @property {string} title after the titles of its groups, where the tool reports them
 * @property {number} tried inputs, as the test reports them; 1 if it doesn't
 * @property {number} held equal to `tried` if the test passed, otherwise 0
 */

/**
 * The trials of a Playwright report, one for each test that wasn't skipped. A test reports its inputs by an annotation
 * "tried".
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
          const tried = annotations.find(({ type }) => type === 'tried')?.description
          return trial(suite.file, title, Number(tried ?? 1), status !== 'unexpected')
        }),
    ),
  ])
}

/**
 * A test that failed, perhaps only until it was repeated.
 *
 * @typedef {object} FailedTest
 * @property {string} title after the titles of its groups, from the outermost; empty for a file that wasn't loaded
 * @property {string} file
 * @property {string} reason why it failed first, in the tool's words
 */

const noReason = 'It gave no reason.'

/**
 * The tests of a Playwright report that failed ("unexpected"), or passed only on a retry ("flaky").
 *
 * @param {readonly PlaywrightSuite[]} suites
 * @param {'unexpected' | 'flaky'} status
 * @param {readonly string[]} groups the titles of the groups around them
 * @returns {FailedTest[]}
 */
export function playwrightFailures(suites, status, groups = []) {
  return suites.flatMap(({ title, file, suites: inner = [], specs }) => {
    const own = title === undefined || title === file ? groups : [...groups, title]
    return [
      ...specs.flatMap((spec) =>
        spec.tests
          .filter((test) => test.status === status)
          .map(({ results = [] }) => ({
            title: [...own, spec.title].join(' > '),
            file,
            reason: withoutColours(results.find(({ error }) => error)?.error?.message ?? noReason),
          })),
      ),
      ...playwrightFailures(inner, status, own),
    ]
  })
}

/**
 * The tests of a vitest report that failed, and the files that could not be loaded.
 *
 * @param {VitestReport} report
 * @returns {FailedTest[]}
 */
export function vitestFailures({ testResults }) {
  return testResults.flatMap(({ name = '', status, message, assertionResults }) => {
    const file = name.replaceAll('\\', '/')
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (failed.length === 0 && status === 'failed') {
      return [{ title: '', file, reason: withoutColours(message || noReason) }]
    }
    return failed.map(({ fullName = '', failureMessages = [] }) => ({
      title: fullName,
      file,
      reason: withoutColours(failureMessages[0] ?? noReason),
    }))
  })
}

/** @param {string} text with a terminal's colours */
// eslint-disable-next-line no-control-regex -- a colour begins with it
const withoutColours = (text) => text.replace(/\u001b\[[0-9;]*m/g, '')

/**
 * The trials of a vitest report, one for each test that wasn't skipped. A test reports its inputs as `tried` in its
 * meta.
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
