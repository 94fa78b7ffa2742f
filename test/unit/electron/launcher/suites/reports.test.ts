import { expect, it } from 'vitest'
import {
  playwrightTrials,
  vitestFailures,
  vitestTrials,
} from '../../../../../electron/launcher/suites/reports.mjs'

type PlaywrightTest = Parameters<typeof playwrightTrials>[0][number]['specs'][number]['tests'][number]

const test = (status: PlaywrightTest['status'], tried?: string): PlaywrightTest => ({
  status,
  annotations: tried === undefined ? [] : [{ type: 'tried', description: tried }],
})

it("reads the attempts of each of Playwright's tests, even inside groups, and leaves out skipped ones", () => {
  const inner = {
    file: 'folder/odd.spec.ts',
    specs: [{ ok: true, title: 'two', tests: [test('flaky', '7'), test('skipped', '9')] }],
  }
  const outer = {
    file: 'odd.spec.ts',
    specs: [{ ok: false, title: 'one', tests: [test('unexpected', '5'), test('expected')] }],
    suites: [inner],
  }
  expect(playwrightTrials([outer])).toEqual([
    { file: 'folder/odd.spec.ts', title: 'two', tried: 7, held: 7 },
    { file: 'odd.spec.ts', title: 'one', tried: 5, held: 0 },
    { file: 'odd.spec.ts', title: 'one', tried: 1, held: 1 },
  ])
})

it("reads the attempts of each of vitest's tests", () => {
  const assertionResults = [
    { status: 'passed', fullName: 'a group a test', meta: { tried: 150 } },
    { status: 'failed', meta: {} },
    { status: 'skipped' },
  ]
  const report = {
    success: false,
    testResults: [{ status: 'failed', name: 'C:\\x\\robustness.test.ts', assertionResults }],
  }
  expect(vitestTrials(report)).toEqual([
    { file: 'C:/x/robustness.test.ts', title: 'a group a test', tried: 150, held: 150 },
    { file: 'C:/x/robustness.test.ts', title: '', tried: 1, held: 0 },
  ])
})

it("names vitest's failed tests, with the reason of each", () => {
  const assertionResults = [
    { status: 'passed', fullName: 'a group one' },
    {
      status: 'failed',
      fullName: 'a group two',
      failureMessages: ['\u001b[31mAssertionError\u001b[39m: expected 1\n    at x.test.ts:3'],
    },
  ]
  const testResults = [{ status: 'failed', name: 'C:\\x\\odd.test.ts', assertionResults }]
  expect(vitestFailures({ success: false, testResults })).toEqual([
    {
      title: 'a group two',
      file: 'C:/x/odd.test.ts',
      reason: 'AssertionError: expected 1\n    at x.test.ts:3',
    },
  ])
})
