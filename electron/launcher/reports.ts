// Reads the JSON reports of the test tools.

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

export interface PlaywrightReport {
  errors: { message?: string }[]
  suites: PlaywrightSuite[]
}

interface PlaywrightSuite {
  /** Of a group of tests, or the file's name. */
  title?: string
  file: string
  suites?: PlaywrightSuite[]
  specs: {
    title: string
    tests: {
      status: 'expected' | 'unexpected' | 'flaky' | 'skipped'
      annotations: { type: string; description?: string }[]
      results?: { error?: { message?: string } }[]
    }[]
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
  const groups = title === undefined || title === file ? around : [...around, title]
  const own = specs.flatMap((spec) =>
    spec.tests.map(({ status, annotations, results = [] }): Result => {
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
