import type { ElectronApplication, Page } from '@playwright/test'
import type { LogPage } from '../../../electron/contract/life/logs'
import type { Offers } from '../../../electron/contract/life/offers'
import type { RevisionPage } from '../../../electron/contract/life/revisions'
import { median, percentile95 } from '../measure'
import type { Row } from '../rows'
import { inMain, timeLimitMs } from './running'
import { scrollRuns } from './scrolling'

const count = 100_000
const words = ['request', 'no line has this', 'tenant-77', 'WARN', 'ms for']

/** The rows about a long log: scrolling it, and searching it at a key. The service's answers are prepared. */
export async function benchLog(
  app: ElectronApplication,
  page: Page,
  send: (row: Row) => void,
): Promise<void> {
  const at = '2026-11-28T10:00:00.000Z'
  const answer = (name: string, value: unknown): Promise<void> =>
    inMain(app, 'answerWith', name, JSON.stringify({ ok: true, value }))
  const operations: Offers['operations'] = ['revisions', 'logs']
  const revision = { id: 'r1', status: 'DEPLOYED', created_at: at, source_revision_config: {} }
  await answer('life.offers', { operations, from: 'document', byHand: [], missing: [], readAt: at })
  await answer('life.revisions', {
    revisions: [revision],
    nextOffset: null,
    readAt: at,
  } as unknown as RevisionPage)
  const lines = Array.from({ length: count }, (_, index) => ({
    key: `l${index}`,
    at,
    level: 'INFO',
    message: `Handled request ${index} of tenant-${index % 991} at /threads/${index * 7919} in ${index % 97} ms for support`,
  }))
  await answer('life.log', { lines, next: null } satisfies LogPage)

  const first = page.getByRole('table', { name: 'Deployments' }).getByRole('link').first()
  const href = await first.getAttribute('href')
  await page.evaluate((to) => (location.hash = to), `${href}?section=logs`)
  const log = page.getByRole('log', { name: 'Lines' })
  await log.locator('.line').nth(5).waitFor({ timeout: timeLimitMs })

  const runs = await scrollRuns(log, { down: 72, across: 0 })
  const p95 = median(runs.map((frames) => percentile95(frames)))
  send({
    what: 'scrolling a log of 100,000 lines',
    floor: 'one 60 Hz frame (16.7 ms)',
    goal: 'p95 <= 17.7 ms',
    measured: `p95 ${p95.toFixed(1)} ms`,
    reached: p95 <= 1000 / 60 + 1,
    figures: { p95_ms: p95 },
  })

  const times: number[] = []
  for (const word of words) times.push(await timeSearch(page, word))
  send({
    what: 'searching a log of 100,000 lines, until it is drawn',
    floor: '',
    goal: '<= 100 ms',
    measured: `${Math.max(...times).toFixed(0)} ms`,
    reached: Math.max(...times) <= 100,
    figures: { longest_ms: Math.max(...times), median_ms: median(times) },
  })
  // The next start shows the screen that was left.
  await page.evaluate(() => (location.hash = '#/deployments'))
  await first.waitFor({ timeout: timeLimitMs })
}

/** Enters a text in the search of the log. Gives the time until the frame that shows what was found. */
const timeSearch = (page: Page, word: string): Promise<number> =>
  page.getByRole('textbox', { name: 'Search log' }).evaluate(async (input: HTMLInputElement, text) => {
    const began = performance.now()
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(input, text)
    input.dispatchEvent(new Event('input', { bubbles: true }))
    await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
    return performance.now() - began
  }, word)
