import { expect, it } from 'vitest'
import { playwrightTrials, vitestTrials } from '../../../../../electron/launcher/suites/reports.mjs'

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
