import type { Page } from '@playwright/test'
import { addEnvironment, call } from '../../support/bridge'
import { expect, test } from '../../support/fixtures'
import { type Behaviour, HostileService } from '../../support/services/hostile-service'

// What the operator sees of each odd answer. http.spec.ts and the unit tests of failures have the others.

const notJson = /something that is not JSON, or with half of it/
const notThisInterface = /The answer isn't a list of deployments/
const offline = /Odd can(?:'|no)t be reached/

/** What the screen says, by behaviour. */
const cases: [Behaviour, RegExp][] = [
  ['endless', /larger than 32 MiB/],
  ['truncated', notJson],
  ['empty', /with an empty body/],
  ['web-page', /a web page instead of JSON/],
  ['wrong-types', notThisInterface],
  ['wrong-item-types', /5 of 6 entries couldn't be read/],
  ['deep', /nested too deeply/],
  ['other-origin', /redirects to http:\/\/127\.0\.0\.1:\d+\/login \(302\); Slipway didn't follow/],
  ['status-401', /doesn't accept the credentials \(401\)/],
  ['status-422', /rejected the request \(422\).*query\.limit: too large/s],
  ['status-429', /\(429\).*wait 60 minutes/s],
  ['status-503', /\(503\)/],
  ['reset-in-body', offline],
  ['length-too-short', notJson],
  ['bad-chunks', /The answer isn't valid HTTP/],
  ['duplicate-ids', /its-double/],
  ['offset-stays', /stub-20/],
  ['unknown-values', /DREAMING/],
  ['many-fields', /stub-1/],
]

/**
 * The longest that a call without a request to a service may wait, in milliseconds. A window that hangs is broken.
 */
const longestPause = 5_000
const grownBytes = 400 << 20

/** Requests the state repeatedly until it is stopped. Returns the longest time of one answer. */
function watchResponses(page: Page): () => Promise<number> {
  let longest = 0
  let stopped = false
  const watching = (async () => {
    while (!stopped) {
      const requestedAt = Date.now()
      await call(page, 'app.state', {})
      longest = Math.max(longest, Date.now() - requestedAt)
      // The time between two samples. No assertion depends on it.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()
  return async () => {
    stopped = true
    await watching
    return longest
  }
}

test('whatever a service answers, the screen says so, stays responsive, and shows the next good answer', async ({
  slipway,
  page,
}) => {
  test.slow()
  test.info().annotations.push({ type: 'tried', description: String(cases.length) })
  const service = await HostileService.start()
  try {
    service.behaviour = 'one-deployment'
    await addEnvironment(page, 'Odd', service.url)
    const main = page.getByRole('main')
    const refresh = page.getByRole('button', { name: 'Refresh' })
    const table = page.getByRole('table', { name: 'Deployments' })
    const good = table.getByRole('link', { name: 'stub-1', exact: true })
    await expect(good).toBeVisible()
    const memory = (): Promise<number> =>
      slipway.app.evaluate(({ app }) =>
        app.getAppMetrics().reduce((sum, { memory: { workingSetSize } }) => sum + workingSetSize * 1024, 0),
      )
    const before = await memory()
    for (const [behaviour, words] of cases) {
      await test.step(behaviour, async () => {
        const longest = watchResponses(page)
        service.behaviour = behaviour
        await refresh.click()
        await expect.soft(main, behaviour).toContainText(words)
        expect.soft(await longest(), `${behaviour}: longest pause`).toBeLessThan(longestPause)
        service.behaviour = 'one-deployment'
        // After an outage the list comes back automatically, otherwise at once.
        if (words !== offline) await refresh.click()
        // The earlier list may contain it as well.
        await expect.soft(table.getByRole('rowheader'), `after ${behaviour}`).toHaveCount(1)
        await expect.soft(good, `after ${behaviour}`).toBeVisible()
        await expect.soft(main.getByRole('alert'), `after ${behaviour}`).toBeHidden()
      })
    }
    expect(await memory()).toBeLessThan(before + grownBytes)
    expect(service.strangers).toBe(0)
  } finally {
    service.close()
  }
})
