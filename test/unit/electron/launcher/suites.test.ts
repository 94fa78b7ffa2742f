import { describe, expect, it } from 'vitest'
import { failure, playwrightResults, vitestResults, withVerdict } from '../../../../electron/launcher/suites'

describe('what the test tools report', () => {
  it('is tests of every outcome, with the inputs that they tried, and files that could not be loaded', () => {
    const test = (status: string, more: object = {}) => ({
      ...{ status, fullName: `group ${status}`, failureMessages: [], meta: {} },
      ...more,
    })
    const report = {
      testResults: [
        {
          name: 'C:\\p\\a.test.ts',
          status: 'failed',
          assertionResults: [
            test('passed', { meta: { tried: 500 } }),
            test('failed', { failureMessages: ['\u001b[31mnot equal\u001b[39m', 'second'] }),
            test('pending'),
          ],
        },
        { name: '/p/broken.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
      ],
    }
    expect(vitestResults(report as never)).toMatchObject([
      { file: 'C:/p/a.test.ts', title: 'group passed', outcome: 'passed', tried: 500 },
      { file: 'C:/p/a.test.ts', title: 'group failed', outcome: 'failed', reason: 'not equal', tried: 1 },
      { outcome: 'skipped' },
      { file: '/p/broken.test.ts', title: '', outcome: 'failed', reason: 'no such module' },
    ])
  })

  it('is also what passed only on a retry, and errors outside the tests', () => {
    const results = [{ error: { message: '\u001b[31mnot found\u001b[39m' } }, {}]
    const test = { status: 'flaky', annotations: [{ type: 'tried', description: '40' }], results }
    const group = { title: 'a group', file: 'a.spec.ts', specs: [{ title: 'twice', tests: [test] }] }
    const report = {
      errors: [{ message: 'no display' }],
      suites: [{ title: 'a.spec.ts', file: 'a.spec.ts', specs: [], suites: [group] }],
    }
    expect(playwrightResults(report as never)).toMatchObject([
      { outcome: 'failed', reason: 'no display' },
      { file: 'a.spec.ts', title: 'a group > twice', outcome: 'repeated', reason: 'not found', tried: 40 },
    ])
  })

  it('fails a run without tests, or with an abnormal end', () => {
    const failed = (outcomes: ('passed' | 'failed' | 'skipped')[], status: number): number => {
      const results = outcomes.map((outcome) => ({ ...failure('a.test.ts', ''), outcome }))
      return withVerdict('unit', results, status).filter(({ outcome }) => outcome === 'failed').length
    }
    expect(failed([], 0)).toBe(1)
    expect(failed(['skipped'], 0)).toBe(1)
    expect(failed(['passed'], 1)).toBe(1)
    expect(failed(['passed', 'failed', 'failed'], 1)).toBe(2)
    expect(failed(['passed'], 0)).toBe(0)
  })
})
