// npm test: sets up what is missing and runs every suite but those on request, even after one failed. The last line on standard output is
// "N passed, N failed" over all suites. "npm test -- unit service" runs some suites. "npm test -- e2e smoke.spec.ts"
// passes further arguments to a suite's tool. Tests that failed, or passed only on a retry, are listed before the last
// line.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { ensureDependencies } from '../setup/dependencies.mjs'
import { checkNodeVersion } from '../base/node-version.mjs'
import { inProject } from '../base/paths.mjs'
import { interruption } from '../base/processes.mjs'
import { SetupFailure, runCommand, printStatus } from '../base/progress.mjs'
import { suites } from '../suites/suites.mjs'

/** @typedef {import('../suites/suites.mjs').Counts & { name: string, seconds: number }} Row */

await runCommand(async () => {
  checkNodeVersion()
  const { chosen, args } = choose(process.argv.slice(2))
  await ensureDependencies()
  const rows = []
  for (let at = 0; at < chosen.length;) {
    const end = chosen.findIndex(({ together }, index) => index >= at && !together) + 1 || chosen.length
    rows.push(...(await Promise.all(chosen.slice(at, end).map((suite) => runSuite(suite, args)))))
    at = end
    if (interruption()) throw new SetupFailure(`The tests were interrupted by ${interruption()}.`, 'npm test')
  }
  const passed = sum(rows, 'passed')
  const failed = sum(rows, 'failed')
  const repeated = rows.flatMap((row) => row.repeated)
  const lists = [listFailures(rows.flatMap(failuresOf)), listRepeated(repeated)]
  process.stdout.write(`\n${table(rows)}\n${lists.join('')}\n${passed} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
})

/**
 * The suites named first (all, if none is named), and the arguments after them.
 *
 * @param {readonly string[]} words of the command line
 */
function choose(words) {
  const end = words.findIndex((word) => !suites.some(({ name }) => name === word))
  const names = end < 0 ? words : words.slice(0, end)
  const args = end < 0 ? [] : words.slice(end)
  if (args.length > 0 && names.length !== 1) {
    throw new SetupFailure(
      `"${args.join(' ')}" can't be passed to every suite.`,
      `name one suite before it: ${suites.map(({ name }) => name).join(', ')}. For example: npm test -- e2e smoke.spec.ts`,
    )
  }
  const chosen = suites.filter(({ name, onRequest }) =>
    names.length > 0 ? names.includes(name) : !onRequest,
  )
  return { chosen, args }
}

/**
 * @param {import('../suites/suites.mjs').Suite} suite
 * @param {readonly string[]} args
 * @returns {Promise<Row>}
 */
async function runSuite({ name, run }, args) {
  process.stdout.write(`\n== ${name} ==\n`)
  const started = Date.now()
  /** @type {import('../suites/suites.mjs').Counts} */
  let counts = { passed: 0, failed: 1, skipped: 0, failures: [], repeated: [] }
  try {
    counts = await run(args)
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error
    printStatus(`the suite ${name} cannot be run. ${error.message}`)
    printStatus(`what to do: ${error.remedy}`)
  }
  return { name, ...counts, seconds: (Date.now() - started) / 1_000 }
}

/**
 * What failed in a suite, also without naming a test: a tool without tests, or an error outside of them.
 *
 * @param {Row} row
 */
function failuresOf({ name, failed, failures }) {
  if (failed <= failures.length) return failures
  return [
    ...failures,
    { file: name, title: 'failed without naming a test', reason: 'Its own output says why.' },
  ]
}

/**
 * Lists the tests that failed, with the beginning of the reason: what the tools printed of them may be far above.
 *
 * @param {readonly import('../suites/reports.mjs').FailedTest[]} failures
 */
function listFailures(failures) {
  if (failures.length === 0) return ''
  const lines = failures.map(({ file, title, reason }) => {
    const beginning = reason.split('\n', 5).map((line) => `    ${line}\n`)
    return `  ${file}: ${title}\n${beginning.join('')}`
  })
  return `\nFailed\n${lines.join('')}`
}

/**
 * Lists the tests that passed only on a retry, and writes why they failed at first into a file. They don't fail the
 * run, since the machine may be at fault, but each one has a cause to find.
 *
 * @param {readonly import('../suites/reports.mjs').FailedTest[]} repeated
 */
function listRepeated(repeated) {
  const reasonsFile = inProject('test-results/repeated.txt')
  rmSync(reasonsFile, { force: true })
  if (repeated.length === 0) return ''
  mkdirSync(dirname(reasonsFile), { recursive: true })
  writeFileSync(
    reasonsFile,
    repeated.map(({ file, title, reason }) => `${file}: ${title}\n\n${reason}\n\n`).join(''),
  )
  const names = repeated.map(({ file, title }) => `  ${file}: ${title}\n`).join('')
  return `\nPassed only when repeated; find the cause of each (why they failed: test-results/repeated.txt)\n${names}`
}

/**
 * @param {readonly Row[]} rows
 * @param {'passed' | 'failed'} column
 */
function sum(rows, column) {
  return rows.reduce((total, row) => total + row[column], 0)
}

/** @param {readonly Row[]} rows */
function table(rows) {
  const cells = [
    ['suite', 'passed', 'failed', 'skipped', 'repeated', 'seconds'],
    ...rows.map((row) => [
      row.name,
      String(row.passed),
      String(row.failed),
      String(row.skipped),
      String(row.repeated.length),
      row.seconds.toFixed(1),
    ]),
  ]
  return cells
    .map(([name = '', ...numbers]) => name.padEnd(10) + numbers.map((number) => number.padStart(9)).join(''))
    .join('\n')
}
