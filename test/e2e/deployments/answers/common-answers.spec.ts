import type { Page } from '@playwright/test'
import { pageOf } from '../../../support/builders/page-of'
import { addEnvironment, call, synchronise } from '../../support/bridge'
import { alone as test, expect } from '../../support/fixtures'
import { create, fill, goTo, openForm } from '../../support/page/creation'
import { deploymentsTable } from '../../support/page/deployments'
import { type Answer, anyDeployment, json, listOf, StubService } from '../../support/services/stub-service'

// What services that people run answer, and differently from what the interface says. West of Greenwich, a time that is
// read as a local one is hours off.
test.use({ variables: { TZ: 'America/Los_Angeles' } })

type Items = Record<string, unknown>[]
type Ending = (all: Items, query: URLSearchParams) => { resources: unknown; offset?: unknown }

const offsetOf = (query: URLSearchParams): number => Number(query.get('offset') ?? 0)
const isLast = (all: Items, query: URLSearchParams): boolean =>
  offsetOf(query) + Number(query.get('limit')) >= all.length

/** How lists end: the answer to a page. */
const endings: Record<string, Ending> = {
  'with its last page again': (all, query) => {
    if (offsetOf(query) < all.length) return pageOf(all, query)
    const limit = Number(query.get('limit'))
    const last = new URLSearchParams({
      limit: String(limit),
      offset: String(all.length - (all.length % limit)),
    })
    return pageOf(all, last)
  },
  'with null as its offset': (all, query) => ({
    ...pageOf(all, query),
    ...(isLast(all, query) ? { offset: null } : {}),
  }),
  'without an offset': (all, query) =>
    isLast(all, query) ? { resources: pageOf(all, query).resources } : pageOf(all, query),
  'with null as its deployments': (all, query) =>
    offsetOf(query) < all.length ? pageOf(all, query) : { resources: null, offset: 0 },
  'with offsets as texts': (all, query) => {
    const { resources, offset } = pageOf(all, query)
    return { resources, offset: String(offset) }
  },
}

test('a list is shown and cached whole however it ends, with few requests', async ({ page }) => {
  test.setTimeout(120_000)
  for (const [how, ending] of Object.entries(endings)) {
    await test.step(how, async () => {
      let all: Items = [1, 2, 3, 4].map(anyDeployment)
      let requests = 0
      const service = await StubService.start((query, response, headers) => {
        requests += 1
        const ids = query.get('deployment_ids')?.split(',')
        const found = ids ? all.filter(({ id }) => ids.includes(String(id))) : all
        json(ending(found, query))(query, response, headers)
      })
      const id = await addEnvironment(page, `Ends ${how}`, service.baseUrl)
      await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(4)
      await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0)
      for (const count of [4, 250]) {
        all = Array.from({ length: count }, (_, index) => anyDeployment(index + 1))
        requests = 0
        await synchronise(page, id)
        expect(requests, `for ${count} deployments`).toBeLessThanOrEqual(2 * Math.ceil(count / 100) + 20)
        const query = { filters: {}, search: '', sort: { by: 'name' as const, descending: false } }
        const request = { query, offset: 0, limit: 1, snapshot: null }
        const cached = await call(page, 'cache.page', { environmentId: id, request })
        expect(cached).toMatchObject({ ok: true, value: { total: count } })
      }
      await service.close()
    })
  }
})

test('a search that a service answers with null for no deployments finds none', async ({ page }) => {
  const service = await StubService.start((query, response, headers) => {
    const answer = query.has('name_contains')
      ? { resources: null, offset: 0 }
      : pageOf([anyDeployment(1)], query)
    json(answer)(query, response, headers)
  })
  try {
    await addEnvironment(page, 'Null', service.baseUrl)
    await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(1)
    await page.getByRole('textbox', { name: 'Search deployments' }).fill('nothing like it')
    await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(0)
    await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0)
  } finally {
    await service.close()
  }
})

test('a time without a zone is UTC for its age and for what needs attention', async ({ page }) => {
  /** A time so many minutes ago, in UTC and without a zone, as Python writes it. */
  const ago = (minutes: number): string =>
    new Date(Date.now() - minutes * 60_000).toISOString().replace('Z', '456')
  const since = (index: number, minutes: number) => ({
    ...anyDeployment(index),
    status: 'AWAITING_DATABASE',
    created_at: ago(minutes),
    updated_at: ago(minutes),
  })
  const service = await StubService.start(listOf(() => [since(1, 180), since(2, 2)]))
  try {
    await addEnvironment(page, 'Python', service.baseUrl)
    const row = (name: string) => deploymentsTable(page).getByRole('row').filter({ hasText: name })
    await expect(row('stub-1')).toContainText('3h')
    await expect(row('stub-2')).toContainText('2m')
    await goTo(page, 'Overview')
    const attention = page.getByRole('table', { name: 'Needs attention' })
    await expect(attention.getByRole('link', { name: 'stub-1' })).toBeVisible()
    await expect(attention.getByRole('link', { name: 'stub-2' })).toHaveCount(0)
  } finally {
    await service.close()
  }
})

/** Bodies of refusals as people reported them, and what of them an operator reads. */
const refusals: [body: unknown, words: string][] = [
  [{ errors: [{ message: 'Agents need an owner', field: 'name' }] }, 'Agents need an owner'],
  [{ title: 'Your plan has no deployments left', status: 403 }, 'Your plan has no deployments left'],
  [{ error: { code: 401, reason: 'The key was rotated' } }, 'The key was rotated'],
  [{ detail: { code: 'c', msg: 'Maintenance until noon' } }, 'Maintenance until noon'],
  [{ fault: { faultstring: 'Rate limit quota violation' } }, 'Rate limit quota violation'],
  [{ nested: [{ unheard: { of: true } }] }, '"unheard"'],
  ['upstream connect error or disconnect/reset before headers', 'upstream connect error'],
]

test('the words of a refusal are shown once, whatever its form', async ({ slipway, page }) => {
  slipway.expectErrors(/Failed to load resource/)
  let refusal: Answer | null = null
  const listed = listOf(() => [anyDeployment(1)])
  const service = await StubService.start((...asked) => (refusal ?? listed)(...asked))
  try {
    await addEnvironment(page, 'Refusing', service.baseUrl)
    await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(1)
    const alert = page.getByRole('main').getByRole('alert')
    for (const [body, words] of refusals) {
      await test.step(words, async () => {
        refusal = (query, response, headers) => {
          if (typeof body !== 'string') json(body, 400)(query, response, headers)
          else response.writeHead(400, { 'content-type': 'text/plain' }).end(body)
        }
        await page.getByRole('button', { name: 'Refresh' }).click()
        await expect(alert).toContainText(words)
        expect((await alert.innerText()).split(words), 'said once').toHaveLength(2)
      })
    }
    // The service's clock is an hour ahead of this machine's.
    const there = Date.now() + 3_600_000
    refusal = (_query, response) => {
      const date = (time: number) => new Date(time).toUTCString()
      response.writeHead(429, { date: date(there), 'retry-after': date(there + 20_000) }).end('{}')
    }
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(alert).toContainText('wait 20 seconds')
  } finally {
    await service.close()
  }
})

test('a creation that is answered with little more than an identifier or a place is settled by it', async ({
  page,
}) => {
  const all: Items = [anyDeployment(1)]
  let answers: Answer = json({})
  const service = await StubService.start((...asked) =>
    (asked[1].req.method === 'POST' ? answers : listOf(() => all))(...asked),
  )
  try {
    await addEnvironment(page, 'Thin', service.baseUrl)
    for (const [index, answer] of [
      (id: string): Answer => json({ id }),
      (id: string): Answer => json({ deployment: { deployment_id: id } }, 202),
      (id: string): Answer =>
        (_query, response) =>
          response.writeHead(201, { location: `/v2/deployments/${id}` }).end(),
    ].entries()) {
      const made = { ...anyDeployment(index + 2), name: `thin-${index}`, source: 'internal_docker' }
      answers = (...asked) => {
        all.push(made)
        answer(String(anyDeployment(index + 2)['id']))(...asked)
      }
      await openForm(page)
      await page.getByRole('radio', { name: 'Internal image' }).check()
      await fill(page, { Name: made.name, 'Image URI': 'internal/agent:1' })
      await create(page, 'Thin')
      await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText(made.name)
      await expect(page.getByRole('group', { name: /^Unconfirmed creation/ })).toHaveCount(0)
    }
  } finally {
    await service.close()
  }
})

test('a whole number beyond 2^53 keeps its digits on the page and in what is copied', async ({
  app,
  page,
}) => {
  const digits = '12345678901234567891'
  const text = JSON.stringify({
    ...anyDeployment(1),
    source_config: { resource_spec: { annotations: { checksum: 'DIGITS' }, db_max_connections: 'DIGITS' } },
  }).replaceAll('"DIGITS"', digits)
  const service = await StubService.start((query, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"resources":[${query.get('offset') === '1' ? '' : text}],"offset":1}`)
  })
  try {
    await addEnvironment(page, 'Digits', service.baseUrl)
    await deploymentsTable(page).getByRole('link', { name: 'stub-1' }).click()
    await page.getByRole('button', { name: 'Copy JSON', exact: true }).click()
    const clipboard = () => app.evaluate(({ clipboard }) => clipboard.readText())
    await expect.poll(clipboard).toContain(`"checksum": ${digits}`)
    expect(await clipboard()).toContain(`"db_max_connections": ${digits}`)
    await cloned(page)
    const preview = page.getByRole('region', { name: 'Request preview' })
    await expect(preview).toContainText(`"checksum": "${digits}"`)
    await expect(preview).not.toContainText(/1234567890123456[^7]/)
  } finally {
    await service.close()
  }
})

async function cloned(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Clone', exact: true }).click()
  await expect(page.getByRole('form', { name: 'New deployment' })).toBeVisible()
}
