import type { IncomingMessage } from 'node:http'
import type { Page } from '@playwright/test'
import { call } from '../../support/bridge'
import { expect, test } from '../../support/fixtures'
import { openSection } from '../../support/page/deployments'
import { anyDeployment, json, listOf, StubService, useEnvironment } from '../../support/services/stub-service'
import { startService } from '../../../support/service/service-process'

const image = (version: number) => `registry.example.com/agents/roller:${version}`
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

/** Opens the dialog of a change of the open deployment. */
async function begin(page: Page, name: string) {
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
  return dialog(page, name)
}

async function openDeployment(page: Page, id: string): Promise<void> {
  await page.evaluate((to) => (location.hash = `#/deployments/${to}`), id)
  await expect(page.getByRole('button', { name: 'Change', exact: true })).toBeVisible()
}

test('a deployment gets a revision, is rolled back, changed and deleted', async ({ page }) => {
  const service = await startService({ mode: 'self-hosted', sample: 3, provisionMs: 200 })
  try {
    const created = await fetch(`${service.url}/v2/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'roller',
        source: 'external_docker',
        source_config: { resource_spec: { cpu: 1 } },
        source_revision_config: { image_uri: image(1) },
        secrets: [
          { name: 'ONE', value: 'first' },
          { name: 'TWO', value: 'second' },
        ],
      }),
    })
    const { id } = (await created.json()) as { id: string }
    const asService = async () => {
      const answer = await fetch(`${service.url}/v2/deployments/${id}`)
      return (await answer.json()) as {
        status: string
        active_revision_id: string | null
        latest_revision_id: string
        source_config: { resource_spec: object; custom_url: string }
        source_revision_config: { image_uri: string }
        secrets: { name: string }[]
      }
    }
    const deployed = () =>
      expect
        .poll(async () => {
          const { active_revision_id, latest_revision_id } = await asService()
          return active_revision_id === latest_revision_id
        })
        .toBe(true)
    await deployed()
    await useEnvironment(page, { name: 'Cluster', baseUrl: service.url, mode: 'self-hosted' })
    await openDeployment(page, id)

    const revision = await begin(page, 'New revision')
    await revision.getByRole('textbox', { name: 'Image URI' }).fill(image(2))
    await revision.getByRole('button', { name: 'Review' }).click()
    const differences = revision.getByRole('table', { name: 'Differences' })
    await expect(differences).toContainText(image(1))
    await expect(differences).toContainText(image(2))
    await revision.getByRole('button', { name: 'Send' }).click()
    await expect(revision).toBeHidden()
    expect((await asService()).source_revision_config.image_uri).toBe(image(2))
    await deployed()

    await openSection(page, 'Revisions')
    await page.getByRole('button', { name: 'Refresh' }).click()
    const older = page.getByRole('table', { name: 'Revisions' }).getByRole('row', { name: image(1) })
    await older.getByRole('button', { name: 'Roll back' }).click()
    const back = dialog(page, 'Roll back')
    await expect(back.getByRole('table', { name: 'Differences' })).toContainText(image(1))
    await back.getByRole('button', { name: 'Send' }).click()
    await expect(back).toBeHidden()
    expect((await asService()).source_revision_config.image_uri).toBe(image(1))
    await deployed()

    // And forth, from the list: four keys with the review.
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
    await page.getByRole('table', { name: 'Deployments' }).getByRole('link', { name: 'roller' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('complementary', { name: 'Deployment panel' })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Change', exact: true })).toBeVisible()
    await page.keyboard.press('Control+B')
    await expect(back.getByRole('table', { name: 'Differences' })).toContainText(image(2))
    await expect(back.getByRole('button', { name: 'Send' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(back).toBeHidden()
    expect((await asService()).source_revision_config.image_uri).toBe(image(2))
    await deployed()

    // This service hides the values of secrets, so one alone can't be changed.
    const secrets = await begin(page, 'Variables and secrets')
    await secrets.getByRole('textbox', { name: 'Secret 2 value' }).fill('third')
    await secrets.getByRole('button', { name: 'Review' }).click()
    await expect(secrets.getByRole('alert')).toContainText('The service hides values')
    await expect(secrets.getByText('Enter its value.').first()).toBeVisible()
    await secrets.getByRole('textbox', { name: 'Secret 1 value' }).fill('first')
    await secrets.getByRole('button', { name: 'Remove secret 2' }).click()
    await secrets.getByRole('button', { name: 'Review' }).click()
    await expect(secrets).toContainText('Keeps 0, changes 1, adds 0, removes 1.')
    await secrets.getByRole('button', { name: 'Send' }).click()
    await expect(secrets).toBeHidden()
    expect((await asService()).secrets.map(({ name }) => name)).toEqual(['ONE'])
    await deployed()

    const resources = await begin(page, 'Resources')
    await resources
      .getByRole('spinbutton', { name: 'CPU' })
      .or(resources.getByRole('textbox', { name: /CPU$/ }))
      .first()
      .fill('2')
    await resources.getByRole('button', { name: 'Review' }).click()
    await resources.getByRole('button', { name: 'Send' }).click()
    await expect(resources).toBeHidden()
    expect((await asService()).source_config.resource_spec).toMatchObject({ cpu: 2 })

    const deletion = await begin(page, 'Delete')
    const send = deletion.getByRole('button', { name: 'Send' })
    await deletion.getByRole('textbox', { name: 'Deployment name' }).fill('rolle')
    await expect(send).toBeDisabled()
    await deletion.getByRole('textbox', { name: 'Deployment name' }).fill('roller')
    await deletion.getByRole('checkbox', { name: /tracing project/ }).check()
    await send.click()
    await expect(deletion).toBeHidden()
    await expect.poll(async () => (await fetch(`${service.url}/v2/deployments/${id}`)).status).toBe(404)

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
    for (const done of ['Made a revision of', 'Rolled back', 'Changed the secrets of', 'Deleted']) {
      await expect(
        page
          .getByRole('row')
          .filter({ hasText: `${done} roller` })
          .first(),
      ).toContainText('Done')
    }
  } finally {
    await service.dispose()
  }
})

/** A service that answers values of secrets, and what the test says to writes. */
async function writingService(answer: (request: IncomingMessage, body: string) => number | null) {
  const good = { responses: { 200: {} } }
  const paths = {
    '/v2/deployments/{deployment_id}': { patch: good, delete: good },
    '/v2/deployments/{deployment_id}/revisions': { get: good },
    '/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy': { post: good },
  }
  const deployment = {
    ...anyDeployment(1),
    secrets: [
      { name: 'ONE', value: 'value-of-one' },
      { name: 'TWO', value: 'value-of-two' },
    ],
    latest_revision_id: 'r2',
    active_revision_id: 'r2',
  }
  const revisions = [2, 1].map((number) => ({
    id: `r${number}`,
    status: 'DEPLOYED',
    created_at: '2026-11-01T00:00:00Z',
    source_revision_config: { repo_ref: `v${number}` },
  }))
  const writes: { method: string; url: string; body: string }[] = []
  const stub = await StubService.start((query, response, headers) => {
    const request = response.req
    const url = request.url ?? ''
    if (request.method !== 'GET') {
      let body = ''
      request.on('data', (part) => (body += String(part)))
      request.on('end', () => {
        writes.push({ method: request.method!, url, body })
        const status = answer(request, body)
        if (status === null) response.destroy()
        else json({ detail: 'said by the service' }, status)(query, response, headers)
      })
      return
    }
    if (url.startsWith('/openapi.json')) json({ openapi: '3.1.0', paths })(query, response, headers)
    else if (url.includes('/revisions')) json({ resources: revisions, offset: 9 })(query, response, headers)
    else listOf(() => [deployment])(query, response, headers)
  })
  return { stub, writes, deployment, revisions, id: String(anyDeployment(1).id) }
}

test('secrets that stay are sent again by the main process, and never reach the page', async ({ page }) => {
  const { stub, writes, id } = await writingService(() => 200)
  try {
    await useEnvironment(page, { name: 'Values', baseUrl: stub.baseUrl })
    await openDeployment(page, id)
    const secrets = await begin(page, 'Variables and secrets')
    await secrets.getByRole('textbox', { name: 'Secret 2 value' }).fill('entered')
    await secrets.getByRole('button', { name: 'Review' }).click()
    await expect(secrets).toContainText('Keeps 1, changes 1, adds 0, removes 0.')
    const seen = await page.content()
    await secrets.getByRole('button', { name: 'Send' }).click()
    await expect(secrets).toBeHidden()
    expect(writes.map(({ method, body }) => [method, JSON.parse(body)])).toEqual([
      [
        'PATCH',
        {
          secrets: [
            { name: 'ONE', value: 'value-of-one' },
            { name: 'TWO', value: 'entered' },
          ],
        },
      ],
    ])
    expect(seen).not.toContain('value-of')
    const journal = await call(page, 'journal.list', { limit: 5 })
    expect(JSON.stringify(journal)).not.toMatch(/value-of|entered/)
  } finally {
    await stub.close()
  }
})

test('a lost answer is unconfirmed until the service shows the change', async ({ slipway, page }) => {
  slipway.expectErrors(/Failed to load resource/)
  const { stub, writes, id, revisions } = await writingService(() => null)
  try {
    await useEnvironment(page, { name: 'Losing', baseUrl: stub.baseUrl })
    await openDeployment(page, id)
    await openSection(page, 'Revisions')
    await page.getByRole('row', { name: 'v1' }).getByRole('button', { name: 'Roll back' }).click()
    const back = dialog(page, 'Roll back')
    await back.getByRole('button', { name: 'Send' }).click()
    await expect(back.getByRole('alert')).toContainText('The change is unconfirmed')
    const check = back.getByRole('button', { name: 'Check again' })
    await check.click()
    await expect(check, 'still reads, and takes no click').not.toHaveClass(/n-button--loading/)
    await expect(back.getByRole('alert')).toContainText('The change is unconfirmed')
    revisions.unshift({ ...revisions[1]!, id: 'r3', status: 'BUILDING' })
    await check.click()
    await expect(back).toBeHidden()
    expect(writes).toHaveLength(1)
  } finally {
    await stub.close()
  }
})

test('a lost answer stays unconfirmed where no list of revisions has the latest one before it', async ({
  slipway,
  page,
}) => {
  slipway.expectErrors(/Failed to load resource/)
  const { stub, id, deployment } = await writingService(() => null)
  deployment.latest_revision_id = 'r9'
  try {
    const { id: environmentId } = await useEnvironment(page, { name: 'Unlisted', baseUrl: stub.baseUrl })
    // Its own revision, which has what was to be sent, isn't taken for a later one.
    const change = { kind: 'roll-back', revisionId: 'r1' } as const
    const review = await call(page, 'life.review', { environmentId, id, change })
    if (!review.ok) throw new Error(review.failure.message)
    const { seen } = review.value
    const input = { environmentId, id, change, seen, confirmedName: null, deploymentName: null }
    expect(await call(page, 'life.change', input)).toMatchObject({
      ok: true,
      value: { state: 'unconfirmed' },
    })
  } finally {
    await stub.close()
  }
})

test('a change is refused by the main process where it may not be made, or has moved on', async ({
  page,
}) => {
  const { stub, writes, id, deployment } = await writingService(() => 200)
  try {
    const change = { kind: 'roll-back', revisionId: 'r1' } as const
    const sendTo = async (environmentId: string, confirmedName: string | null) => {
      const review = await call(page, 'life.review', { environmentId, id, change })
      if (!review.ok) return review.failure.code
      const { seen } = review.value
      const input = { environmentId, id, change, seen, confirmedName, deploymentName: null }
      const outcome = await call(page, 'life.change', input)
      return outcome.ok ? outcome.value.state : outcome.failure.code
    }
    const readOnly = await useEnvironment(page, { name: 'Reading', baseUrl: stub.baseUrl, readOnly: true })
    await page.evaluate((to) => (location.hash = `#/deployments/${to}`), id)
    await expect(page.getByRole('tab', { name: 'Revisions' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Change', exact: true })).toHaveCount(0)
    expect(await sendTo(readOnly.id, null)).toBe('not-allowed')
    const guarded = await useEnvironment(page, { name: 'Guarded', baseUrl: stub.baseUrl, protected: true })
    expect(await sendTo(guarded.id, null)).toBe('confirmation-needed')
    expect(writes).toEqual([])
    expect(await sendTo(guarded.id, 'Guarded')).toBe('done')
    expect(writes).toHaveLength(1)

    await openDeployment(page, id)
    const deletion = await begin(page, 'Delete')
    await deletion.getByRole('textbox', { name: 'Deployment name' }).fill('stub-1')
    await deletion.getByRole('textbox', { name: 'Environment name' }).fill('Guarded')
    deployment.latest_revision_id = 'r9'
    await deletion.getByRole('button', { name: 'Send' }).click()
    await expect(deletion.getByRole('alert')).toContainText('has changed since you looked')
    expect(writes).toHaveLength(1)
    await deletion.getByRole('button', { name: 'Send' }).click()
    await expect(deletion).toBeHidden()
    expect(writes.at(-1)?.method).toBe('DELETE')
  } finally {
    await stub.close()
  }
})

test('several deployments are deleted, each with its result, and one that fails stops nothing', async ({
  page,
}) => {
  const all = [1, 2, 3].map(anyDeployment)
  const gone = new Set<string>()
  const good = { responses: { 200: {} } }
  const stub = await StubService.start((query, response, headers) => {
    const { method, url = '' } = response.req
    if (url.startsWith('/openapi.json')) {
      return json({ paths: { '/v2/deployments/{id}': { delete: good } } })(query, response, headers)
    }
    if (method === 'DELETE') {
      const id = url.split('/').at(-1)!
      if (id === all[1]!['id'])
        return json({ detail: 'It is held by a lock.' }, 423)(query, response, headers)
      gone.add(id)
      response.writeHead(204).end()
      return
    }
    listOf(() => all.filter(({ id }) => !gone.has(String(id))))(query, response, headers)
  })
  try {
    await useEnvironment(page, { name: 'Many', baseUrl: stub.baseUrl })
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
    await page.getByRole('checkbox', { name: 'stub-1' }).check()
    await page.getByRole('checkbox', { name: 'stub-2' }).check()
    await page.getByRole('checkbox', { name: 'stub-3' }).check()
    const bar = page.getByRole('toolbar', { name: 'Selection' })
    await expect(bar.getByRole('button', { name: 'Redeploy' })).toHaveCount(0)
    await bar.getByRole('button', { name: 'Delete' }).click()
    const many = dialog(page, 'Delete')
    await expect(many.getByRole('button', { name: 'Send' })).toBeDisabled()
    await many.getByRole('textbox', { name: 'Number of deployments' }).fill('3')
    await many.getByRole('button', { name: 'Send' }).click()
    const results = many.getByRole('table', { name: 'Results' })
    await expect(results.getByRole('row', { name: 'stub-1' })).toContainText('Done')
    await expect(results.getByRole('row', { name: 'stub-2' })).toContainText('It is held by a lock.')
    await expect(results.getByRole('row', { name: 'stub-3' })).toContainText('Done')
    expect(gone.size).toBe(2)
    await expect(many.getByRole('button', { name: 'Close' }).last()).toBeFocused()
  } finally {
    await stub.close()
  }
})

test('what runs in one environment is promoted to another, from the comparison', async ({ page }) => {
  const source = {
    ...anyDeployment(1),
    source_revision_config: { repo_ref: 'v7', graph_config_path: 'a.json' },
  }
  const staging = await StubService.start(listOf(() => [source]))
  const { stub: production, writes, id } = await writingService(() => 200)
  try {
    const to = await useEnvironment(page, {
      name: 'Production',
      baseUrl: production.baseUrl,
      protected: true,
    })
    const from = await useEnvironment(page, { name: 'Staging', baseUrl: staging.baseUrl })
    const side = (environmentId: string) => encodeURIComponent(`deployment/${environmentId}/${id}`)
    await page.evaluate(
      (query) => (location.hash = `#/compare?${query}`),
      `left=${side(from.id)}&right=${side(to.id)}`,
    )
    await page.getByRole('button', { name: 'Run left in right' }).click()
    const revision = dialog(page, 'New revision')
    await expect(revision.getByRole('textbox', { name: 'Git ref' })).toHaveValue('v7')
    await expect(revision).toContainText('Production')
    await revision.getByRole('button', { name: 'Review' }).click()
    await expect(revision.getByRole('table', { name: 'Differences' })).toContainText('v7')
    await expect(revision.getByRole('button', { name: 'Send' })).toBeDisabled()
    await revision.getByRole('textbox', { name: 'Environment name' }).fill('Production')
    await page.keyboard.press('Enter')
    await expect(revision).toBeHidden()
    expect(writes.map(({ method, body }) => [method, JSON.parse(body)])).toEqual([
      ['PATCH', { source_revision_config: { repo_ref: 'v7', graph_config_path: 'a.json' } }],
    ])

    // A service with the three calls alone takes nothing, and that is said.
    await page.evaluate(
      (query) => (location.hash = `#/compare?${query}`),
      `left=${side(to.id)}&right=${side(from.id)}`,
    )
    await page.getByRole('button', { name: 'Run left in right' }).click()
    await expect(page.getByRole('alert')).toContainText("doesn't offer new revisions")
  } finally {
    await staging.close()
    await production.close()
  }
})
