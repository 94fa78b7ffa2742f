import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { call } from '../../e2e/support/bridge'
import { startDisplay } from '../../e2e/support/processes'
import { Keyring } from '../../e2e/support/keychain'
import { Slipway } from '../../e2e/support/slipway'
import { largeRequest } from '../data/large-request'
import { median, percentile95 } from '../measure'
import { ratioRow, type Row } from '../rows'
import { addBareInput, latencies } from './typing'

const turns = 3
const keys = 'x'.repeat(40)

/** The row about typing: the time from a key to the next frame, in a large form and in a bare input beside it. */
export async function benchForm(send: (row: Row) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-form-'))
  const display = await startDisplay()
  const keyring = await Keyring.start()
  const userData = join(folder, 'user-data')
  mkdirSync(userData)
  try {
    const slipway = await Slipway.start({
      userData,
      environment: { ...display.environment, ...keyring.environment },
    })
    try {
      await openLargeForm(slipway.page)
      send(await measureTyping(slipway.page))
    } finally {
      await slipway.close()
    }
  } finally {
    await keyring.close()
    await display.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The fields that are typed into: one that everything depends on, one in a long list, one in an open container. */
const typedInto = ['Name', 'Secret 100 value', 'Sidecar 3 variable 5 value']

async function openLargeForm(page: Page): Promise<void> {
  const state = await call(page, 'app.state', {})
  const environmentId = state.ok ? (state.value.currentEnvironmentId ?? '') : ''
  const made = await call(page, 'deployments.create', {
    environmentId,
    request: largeRequest(),
    confirmedName: null,
  })
  if (!made.ok) throw new Error(made.failure.message)
  await page.evaluate((id) => {
    location.hash = `#/deployments/${id}`
  }, made.value.deployment.id)
  await page.getByRole('button', { name: 'Clone', exact: true }).click()
  for (const number of [1, 2, 3]) {
    await page.getByRole('button', { name: new RegExp(`^Sidecar ${number} sidecar-`) }).click()
  }
  await addBareInput(page)
}

async function measureTyping(page: Page): Promise<Row> {
  const floors: number[][] = []
  const measured: Record<string, number[][]> = Object.fromEntries(typedInto.map((name) => [name, []]))
  for (let turn = -1; turn < turns; turn += 1) {
    const floor = await latencies(page, 'Bare input', keys)
    // The first round warms up.
    if (turn >= 0) floors.push(floor)
    for (const name of typedInto) {
      const times = await latencies(page, name, keys)
      if (turn >= 0) measured[name]!.push(times)
    }
  }
  const p95 = (runs: number[][]): number => median(runs.map((run) => percentile95(run)))
  const worst = Math.max(...typedInto.map((name) => p95(measured[name]!)))
  return ratioRow({
    what: 'a keypress in a form with 200 secrets, 20 containers and 200 variables, to the next frame (p95)',
    floor: 'a bare input in the same page',
    goal: 1.5,
    measured: worst,
    floorMeasured: p95(floors),
    unit: 'ms',
    more: Object.fromEntries(
      typedInto.map((name) => [`${name.toLowerCase().replaceAll(' ', '_')}_p95_ms`, p95(measured[name]!)]),
    ),
  })
}
