// npm run test:trust: runs every test that attacks the application, its network, its keychain or its service, then a
// soak, and prints a table. "npm run test:trust -- 3" soaks for three minutes instead of ten; 0 skips the soak.

import { ensureBuild } from '../setup/build.mjs'
import { ensureDependencies } from '../setup/dependencies.mjs'
import { ensurePostgres, findPostgres } from '../setup/postgres.mjs'
import { environmentFor } from '../engine/electron-binary.mjs'
import { checkNodeVersion } from '../base/node-version.mjs'
import { playwrightTrials, vitestTrials } from '../suites/reports.mjs'
import { runCommand, SetupFailure } from '../base/progress.mjs'
import { ensureElectronForTests, runPlaywright, runVitest } from '../suites/suites.mjs'

/**
 * @typedef {object} Row
 * @property {string} what is tried
 * @property {'points' | 'inputs' | 'faults'} kind
 * @property {readonly string[]} files the test files' names, with a folder where the name alone is ambiguous
 * @property {string} [titled] counts only tests whose title begins with this
 */

/** @type {readonly Row[]} */
const rows = [
  {
    what: "points of Electron's security checklist, and our own",
    kind: 'points',
    files: ['security.spec.ts', 'packaged.spec.ts'],
  },
  {
    what: 'odd answers of a service',
    kind: 'inputs',
    files: ['odd-answers.spec.ts', 'http.spec.ts', 'untrusted-text.spec.ts', 'untrusted-text.test.ts'],
  },
  {
    what: 'answers of any size and shape',
    kind: 'inputs',
    files: ['reading/index.limits.test.ts', 'answers/index.test.ts', 'large-answers.spec.ts'],
  },
  {
    what: 'values of secrets anywhere in an answer',
    kind: 'inputs',
    files: ['secret-values.test.ts', 'create-drafts.spec.ts'],
  },
  {
    what: 'calls of a page in any order',
    kind: 'inputs',
    files: ['generated-calls.test.ts', 'generated-calls.spec.ts', 'stored-secrets.test.ts'],
  },
  { what: 'bytes from outside, fuzzed with coverage', kind: 'inputs', files: ['fuzz/fuzz.test.ts'] },
  {
    what: 'odd requests to the built-in service',
    kind: 'inputs',
    files: ['robustness.test.ts', 'access.test.ts'],
  },
  {
    what: 'instances of the service on PostgreSQL that are killed, and its outages',
    kind: 'faults',
    files: ['postgres/instances.test.ts', 'postgres/outages.test.ts'],
  },
  { what: 'certificates and proxies', kind: 'faults', files: ['network.spec.ts'] },
  { what: 'failures of the keychain', kind: 'faults', files: ['keychain.spec.ts', 'keychain-days.spec.ts'] },
  {
    what: 'outages, and caches that are damaged, cut off or full',
    kind: 'faults',
    files: ['offline.spec.ts'],
  },
  {
    what: 'faults of the disk at any write, sync or rename',
    kind: 'faults',
    files: [
      'disk.spec.ts',
      'guarantees/disk-faults.test.ts',

      'journal/index.attacks.test.ts',
      'journal/index.test.ts',
    ],
  },
  {
    what: 'the cache: damage, odd texts, processes that end',
    kind: 'faults',
    files: [
      'cache/store/index.protection.test.ts',
      'electron/cache/index.test.ts',
      'cache-client/index.other-service.test.ts',
      'cache/store/index.test.ts',
      'sync/index.edited.test.ts',
    ],
  },
  {
    what: 'clocks, and what settles a creation',
    kind: 'faults',
    files: [
      'deployments/index.property.test.ts',
      'reconcile/index.test.ts',
      'match-attempt.test.ts',
      'creation-end.test.ts',
    ],
  },
  {
    what: 'starts on odd machines',
    kind: 'faults',
    files: ['start.spec.ts', 'key-log.spec.ts', 'trial-engine.spec.ts'],
  },
  {
    what: 'synchronisations, watches and history over a month',
    kind: 'faults',
    files: ['sync/engine.test.ts', 'sync/index.history.test.ts', 'watches/index.month.test.ts'],
  },
  { what: 'creations without an answer', kind: 'faults', files: ['unconfirmed.spec.ts'] },
  ...['plain HTTP', 'TLS', 'HTTP/2 over TLS', 'a gateway that ends TLS'].map((transport) => ({
    what: `creations under faults at any byte: ${transport}`,
    kind: /** @type {const} */ ('faults'),
    files: ['faults/creations.test.ts'],
    titled: `over ${transport} `,
  })),
  {
    what: 'the same in the running application, as the screen shows it',
    kind: 'faults',
    files: ['create-faults.spec.ts'],
  },
  { what: 'marked secrets searched for everywhere', kind: 'inputs', files: ['diagnostics.spec.ts'] },
  {
    what: 'two hundred environments, forced colours, and faults during the soak',
    kind: 'faults',
    files: ['many-environments.spec.ts', 'forced-colors.spec.ts', 'soak.spec.ts'],
  },
]

/** Elsewhere, nothing installs PostgreSQL; the rest still runs. */
const hasPostgres = process.platform === 'linux' || findPostgres() !== undefined

/** The tests try more of the same, and each night other values; the environment may set both. */
const seed = process.env.PROPERTY_SEED ?? new Date().toISOString().slice(0, 10).replaceAll('-', '')
const properties = { PROPERTY_RUNS: '2000', PROPERTY_SEED: seed }

await runCommand(async () => {
  checkNodeVersion()
  const minutes = minutesOf(process.argv[2] ?? '10')
  await ensureDependencies()
  if (hasPostgres) await ensurePostgres()
  await ensureBuild()
  const files = [...new Set(rows.flatMap((row) => row.files))]
  const electron = await ensureElectronForTests()
  const variables = { ...properties, ...environmentFor(electron) }
  const withoutWindow = await runVitest(
    'trust',
    [
      ...files.filter((file) => file.endsWith('.test.ts')),
      ...(hasPostgres ? [] : ['--project', '!postgres']),
    ],
    variables,
  )
  const specs = files.filter((file) => file.endsWith('.spec.ts'))
  const window = await runPlaywright('trust-e2e', specs, { variables })
  const long = await runPlaywright('trust-long', [], {
    config: 'test/trust/playwright.config.ts',
    variables: { ...variables, SOAK_MINUTES: String(minutes) },
  })
  const trials = [
    ...vitestTrials(withoutWindow.report),
    ...playwrightTrials(window.report.suites),
    ...playwrightTrials(long.report.suites),
  ]
  process.stdout.write(`\n${table(trials)}\n`)
  process.stdout.write(`seed: ${seed}\n`)
  return Math.max(withoutWindow.status, window.status, long.status)
})

/** @param {string} text */
function minutesOf(text) {
  const minutes = Number(text)
  if (Number.isFinite(minutes) && minutes >= 0) return minutes
  throw new SetupFailure(`"${text}" isn't a number of minutes.`, 'for example: npm run test:trust -- 3')
}

/** @param {readonly import('../suites/reports.mjs').Trial[]} trials */
function table(trials) {
  const counted = rows.map(({ what, kind, files, titled = '' }) => {
    const own = trials.filter(
      ({ file, title }) => files.some((name) => `/${file}`.endsWith(`/${name}`)) && title.startsWith(titled),
    )
    return { what, kind, tried: sum(own, 'tried'), held: sum(own, 'held') }
  })
  /** @param {string} kind */
  const of = (kind) => {
    const some = counted.filter((row) => row.kind === kind)
    return `${sum(some, 'held')} of ${sum(some, 'tried')}`
  }
  return [
    `${'what'.padEnd(62)}${'tried'.padStart(7)}${'held'.padStart(7)}`,
    ...counted.map(
      ({ what, tried, held }) => what.padEnd(62) + String(tried).padStart(7) + String(held).padStart(7),
    ),
    '',
    `bad inputs handled: ${of('inputs')}; faults survived: ${of('faults')}; points of the checklist held: ${of('points')}`,
  ].join('\n')
}

/**
 * @param {readonly { tried: number, held: number }[]} list
 * @param {'tried' | 'held'} column
 */
function sum(list, column) {
  return list.reduce((total, entry) => total + entry[column], 0)
}
