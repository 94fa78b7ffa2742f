import { describe, expect, it } from 'vitest'
import {
  countPlaywright,
  countVitest,
  insistOnTests,
} from '../../../../../electron/launcher/suites/suites.mjs'

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
    expect(countVitest(report)).toMatchObject({ passed: 2, failed: 1, skipped: 2, repeated: [] })
  })

  it('counts a file that could not be loaded, and a failure outside any test, as failed', () => {
    const unloaded = { ...file('failed'), name: '/p/broken.test.ts', message: 'no such module' }
    expect(countVitest({ success: false, testResults: [unloaded, file('passed', 'passed')] })).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
      failures: [{ title: '', file: '/p/broken.test.ts', reason: 'no such module' }],
      repeated: [],
    })
    expect(countVitest({ success: false, testResults: [file('passed', 'passed')] }).failed).toBe(1)
  })

  it('lists tests that failed or passed only on a retry, and counts errors outside the tests', () => {
    const stats = { expected: 3, unexpected: 1, flaky: 1, skipped: 2 }
    const results = [
      { status: 'failed', error: { message: '\u001b[31mnot found\u001b[39m' } },
      { status: 'passed' },
    ]
    const twice = { status: 'flaky' as const, annotations: [], results }
    const never = { ...twice, status: 'unexpected' as const }
    const group = {
      title: 'a group',
      file: 'a.spec.ts',
      specs: [
        { ok: true, title: 'twice', tests: [twice] },
        { ok: false, title: 'never', tests: [never] },
      ],
    }
    const suites = [{ title: 'a.spec.ts', file: 'a.spec.ts', specs: [], suites: [group] }]
    expect(countPlaywright({ stats, errors: [{}], suites })).toEqual({
      passed: 4,
      failed: 2,
      skipped: 2,
      failures: [{ title: 'a group > never', file: 'a.spec.ts', reason: 'not found' }],
      repeated: [{ title: 'a group > twice', file: 'a.spec.ts', reason: 'not found' }],
    })
  })

  it('counts a run without tests, or with an abnormal end, as a failure', () => {
    expect(insistOnTests({ passed: 0, failed: 0, skipped: 4, failures: [], repeated: [] }, 0).failed).toBe(1)
    expect(insistOnTests({ passed: 5, failed: 0, skipped: 0, failures: [], repeated: [] }, 1).failed).toBe(1)
    expect(insistOnTests({ passed: 5, failed: 2, skipped: 0, failures: [], repeated: [] }, 1).failed).toBe(2)
    expect(insistOnTests({ passed: 5, failed: 0, skipped: 0, failures: [], repeated: [] }, 0).failed).toBe(0)
  })
})
