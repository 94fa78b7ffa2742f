import { describe, expect, it } from 'vitest'
import { countPlaywright, countVitest, insistOnTests } from '../../../../electron/launcher/suites.mjs'

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((one) => ({ status: one })),
})

describe('counting what the test tools report', () => {
  it('counts tests of every outcome', () => {
    const report = {
      success: false,
      testResults: [file('failed', 'passed', 'failed', 'pending'), file('passed', 'passed', 'todo')],
    }
    expect(countVitest(report)).toEqual({ passed: 2, failed: 1, skipped: 2, flaky: 0 })
  })

  it('counts a file that could not be loaded, and a failure outside any test, as failed', () => {
    expect(countVitest({ success: false, testResults: [file('failed'), file('passed', 'passed')] })).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
      flaky: 0,
    })
    expect(countVitest({ success: false, testResults: [file('passed', 'passed')] }).failed).toBe(1)
  })

  it('tells of a test that only passed by repetition, and loses no error outside the tests', () => {
    const stats = { expected: 3, unexpected: 1, flaky: 1, skipped: 2 }
    expect(countPlaywright({ stats, errors: [{}] })).toEqual({
      passed: 4,
      failed: 2,
      skipped: 2,
      flaky: 1,
    })
  })

  it('takes a run without a test, or that ended badly, for a failure', () => {
    expect(insistOnTests({ passed: 0, failed: 0, skipped: 4, flaky: 0 }, 0).failed).toBe(1)
    expect(insistOnTests({ passed: 5, failed: 0, skipped: 0, flaky: 0 }, 1).failed).toBe(1)
    expect(insistOnTests({ passed: 5, failed: 2, skipped: 0, flaky: 0 }, 1).failed).toBe(2)
    expect(insistOnTests({ passed: 5, failed: 0, skipped: 0, flaky: 0 }, 0).failed).toBe(0)
  })
})
