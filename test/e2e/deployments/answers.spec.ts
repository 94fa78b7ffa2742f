import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { addEnvironment, call } from '../support/bridge'
import { expect, test } from '../support/fixtures'
import { type Behaviour, HostileService } from '../support/services/hostile-service'
import { goTo, press } from '../support/page/creation'
import { openSection } from '../support/page/deployments'
import { anyDeployment, json, StubService, useEnvironment } from '../support/services/stub-service'

// What the operator sees of each odd or very large answer, file and call. The unit tests of failures have the others.

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
  ['circle', /redirects to .*\(302\)/],
  ['redirect-to-file', /redirects to .*\(302\)/],
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

const megabyte = 1024 * 1024
const whole = 31 * megabyte

const list = (item: string, count: number): string => `[${`${item},`.repeat(count - 1)}${item}]`
const page = (resources: string): string => `{"resources":${resources},"offset":1}`
const deployments = (count: number, more: (index: number) => object): string =>
  page(
    JSON.stringify(
      Array.from({ length: count }, (_, index) => ({
        ...anyDeployment(index),
        ...more(index),
      })),
    ),
  )

/** One deployment with a member of any JSON. */
const one = (member: string): string =>
  page(`[${JSON.stringify(anyDeployment(1)).slice(0, -1)},"more":${member}}]`)

const levels = 990
const deep = `${'['.repeat(levels)}${list('1', 1_900_000)}${']'.repeat(levels)}`
/** The worst answers by name, and how a call ends that gets them. */
const worst: Record<string, { body: string; ends: string; status?: number }> = {
  'ten million empty lists': { body: page(list('[]', 10_000_000)), ends: 'unreadable-answer' },
  'a deployment with a text of 31 MiB': { body: one(JSON.stringify('\\'.repeat(whole / 2))), ends: 'ok' },
  'two million numbers, many levels deep': { body: one(deep), ends: 'ok' },
  'ten times as many deployments, with long texts': {
    body: deployments(1_000, () => ({ name: 'n'.repeat(3_000), image_version: 'v'.repeat(3_000) })),
    ends: 'ok',
  },
  'a refusal nested deeply': { body: '[{"detail":'.repeat(20_000), ends: 'bad-request', status: 422 },
}

/** The most that the page should get at once. */
const maxCharacters = 4_000_000

/** Makes a call from the page. Returns how it ended and the length of its answer, which stays in the page. */
function ask(
  page: Page,
  name: 'deployments.page' | 'deployments.get',
  input: object,
): Promise<[string, number]> {
  return page.evaluate(
    async ([callName, callInput]) => {
      const text = await window.slipway.calls[callName](`test-${Math.random()}`, callInput)
      const outcome = JSON.parse(text) as {
        ok: boolean
        failure?: { code: string }
      }
      return [outcome.failure?.code ?? 'ok', text.length]
    },
    [name, input] as const,
  )
}

test('the worst answers end clearly, and none gives the page more than it can show', async ({
  page: window,
}) => {
  let answer = { status: 200, body: Buffer.from(page('[]')) }
  const service = await StubService.start((_query, response) => {
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body)
  })
  try {
    const environmentId = await addEnvironment(window, 'Worst', service.baseUrl)
    const { id } = anyDeployment(1)
    for (const [what, { body, ends, status = 200 }] of Object.entries(worst)) {
      answer = { status, body: Buffer.from(body) }
      const query = { limit: 100, offset: 0 }
      const [end, length] = await ask(window, 'deployments.page', { environmentId, query })
      const [, detailLength] = await ask(window, 'deployments.get', { environmentId, id })
      expect.soft(end, what).toBe(ends)
      const answered = Math.max(length, detailLength)
      expect.soft(answered, `${what}: characters for the page`).toBeLessThan(maxCharacters)
    }
    // Answered in order: the cache has done with them too.
    expect(await call(window, 'sync.state', { environmentId })).toMatchObject({ ok: true })
  } finally {
    await service.close()
  }
})

/** What a compromised page might try. Each returns how its calls ended. */
const costly: Record<string, (shown: Page, environmentId: string) => Promise<string[]>> = {
  'a secret of two million characters': (shown, environmentId) =>
    shown.evaluate(async (id) => {
      const request = {
        name: 'large',
        source: 'internal_docker',
        source_config: {},
        source_revision_config: {},
        secrets: [{ name: 'LARGE', value: 'x7"é '.repeat(400_000) }],
      }
      const input = { environmentId: id, request, confirmedName: null }
      return [await window.slipway.calls['deployments.create']('secret', input)]
    }, environmentId),
  'identifiers of calls of 20 million characters': (shown) =>
    shown.evaluate(async () => {
      window.slipway.cancel('x'.repeat(20_000_000))
      return [await window.slipway.calls['app.state']('x'.repeat(20_000_000), {})]
    }),
  'five thousand calls at once': (shown, environmentId) =>
    shown.evaluate(async (id) => {
      const input = { environmentId: id, query: { limit: 100, offset: 0 } }
      const ends = Array.from({ length: 5_000 }, (_, index) => {
        const end = window.slipway.calls['deployments.page'](`many-${index}`, input)
        window.slipway.cancel(`many-${index}`)
        return end
      })
      return Promise.all(ends)
    }, environmentId),
}

test('files and calls that a page would never make are refused, or end once they are cancelled', async ({
  slipway,
  page: shown,
  userData,
}) => {
  const path = join(userData, 'worst.json')
  await slipway.app.evaluate(({ dialog }, filePath) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [filePath] })
  }, path)
  for (const name of ['environments.openFile', 'views.read'] as const) {
    await writeFile(path, '['.repeat(4_000_000))
    expect(await call(shown, name, {}), name).toMatchObject({ ok: false })
  }
  const state = await call(shown, 'app.state', {})
  if (!state.ok) throw new Error(state.failure.message)
  const codes: Record<string, string[]> = {}
  for (const [what, make] of Object.entries(costly)) {
    const texts = await make(shown, state.value.currentEnvironmentId)
    const ends = texts.map(
      (text) => (JSON.parse(text) as { failure?: { code: string } }).failure?.code ?? 'ok',
    )
    codes[what] = [...new Set(ends)].sort()
  }
  expect(codes).toEqual({
    'a secret of two million characters': ['invalid-input'],
    'identifiers of calls of 20 million characters': ['invalid-input'],
    'five thousand calls at once': ['cancelled', 'not-allowed'],
  })
})

test('the screen says which parts of a large answer are left out', async ({ page: window }) => {
  const large = {
    ...anyDeployment(1),
    more: { texts: Array(9).fill('t'.repeat(90_000)) as string[] },
  }
  const service = await StubService.start(json({ resources: [large], offset: 1 }))
  try {
    await useEnvironment(window, { baseUrl: service.baseUrl })
    await window.getByRole('link', { name: 'stub-1' }).click()
    await expect(window.getByText('This deployment is too large to show in full')).toBeVisible()
    await expect(window.getByRole('button', { name: 'Clone', exact: true })).toBeDisabled()
    await openSection(window, 'JSON')
    await expect(window.getByRole('region', { name: 'Deployment as JSON' })).toContainText('"id"')

    service.answer = json(
      Array.from({ length: 10_005 }, (_, index) => ({
        name: `repository-${index}`,
      })),
    )
    await goTo(window, 'Repositories')
    await window
      .getByRole('combobox', { name: 'Integration ID' })
      .fill('0b9e7a52-6a43-4c77-8f3e-2f3a4d1c9b10')
    await press(window, 'List repositories')
    await expect(window.getByText('Only the first 10,000 of 10,005 repositories are shown')).toBeVisible()
  } finally {
    await service.close()
  }
})
