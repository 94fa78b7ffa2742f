import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { choose, deploymentsTable, setPageSize, shownNames } from '../../support/page/deployments'
import { expect, test } from '../../support/fixtures'
import { anyDeployment, json, listOf, StubService, useEnvironment } from '../../support/services/stub-service'

/** A service whose deployments a test changes, and which may be down; the newest come first. */
async function changingService() {
  const state = { all: [5, 4, 3, 2, 1].map(anyDeployment), isDown: false }
  const down = json({ detail: 'Being maintained.' }, 500)
  const list = listOf(() => state.all)
  const stub = await StubService.start((...args) => (state.isDown ? down : list)(...args))
  return { state, stub }
}

/** Records the rows marked from now on, since a mark may be gone before a slow test looks. Gives the first's text. */
async function noteMarkedRows(page: Page): Promise<() => Promise<string>> {
  const notes = await deploymentsTable(page).evaluateHandle((table) => {
    const texts: string[] = []
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        if ((target as Element).matches('tr.is-marked')) texts.push(target.textContent ?? '')
      }
    }).observe(table, { subtree: true, attributeFilter: ['class'] })
    return texts
  })
  return () => notes.evaluate((texts) => texts[0] ?? '')
}

test("the live list follows its service without moving a row, says once that it can't, and so does the cached one", async ({
  page,
}) => {
  await test.step('the live list follows its service: changed, deleted and new deployments, without moving a row', async () => {
    const { state, stub } = await changingService()
    try {
      await useEnvironment(page, { baseUrl: stub.baseUrl })
      await setPageSize(page, 3)
      await page.getByRole('button', { name: 'Next page' }).click()
      await expect(page.getByText('4–5')).toBeVisible()
      await choose(page, 'Auto-refresh', 'Every 5 s')
      const row = (name: string) => deploymentsTable(page).getByRole('row').filter({ hasText: name })
      const marked = await noteMarkedRows(page)

      state.all = [
        anyDeployment(6),
        ...state.all.flatMap((one) =>
          one.name === 'stub-1' ? [] : one.name === 'stub-2' ? [{ ...one, status: 'UNUSED' }] : [one],
        ),
      ]
      await expect(row('stub-2')).toContainText('Unused', { timeout: 20_000 })
      await expect.poll(marked).toMatch(/^stub-2/)
      await expect(row('stub-1')).toContainText('deleted')
      expect(await shownNames(page)).toEqual(['stub-2', 'stub-1'])
      await expect(page.getByText('1 new deployment')).toHaveCount(2)
      await expect(row('stub-2')).not.toHaveClass(/is-marked/)

      await page.getByRole('button', { name: 'Show 1 new deployment' }).click()
      await expect.poll(() => shownNames(page)).toEqual(['stub-6', 'stub-5', 'stub-4'])
      await expect(page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeFocused()
      await expect(page.getByRole('button', { name: /^Show/ })).toHaveCount(0)
    } finally {
      await stub.close()
    }
  })
  await test.step('a failed re-read is reported once, keeps the rows, and is followed by others', async () => {
    const { state, stub } = await changingService()
    try {
      await useEnvironment(page, { name: 'Failing', baseUrl: stub.baseUrl })
      await expect.poll(() => shownNames(page)).toHaveLength(5)
      await choose(page, 'Auto-refresh', 'Every 5 s')
      state.isDown = true
      const problem = page.getByLabel('Data shown').getByText(/^Auto-refresh failed/)
      await expect(problem).toBeVisible({ timeout: 20_000 })
      expect(await shownNames(page)).toHaveLength(5)
      await expect(page.getByRole('alert')).toHaveCount(0)
      state.isDown = false
      await expect(problem).toHaveCount(0, { timeout: 20_000 })
    } finally {
      await stub.close()
    }
  })
  await test.step('a refresh of the cached list says why the service could not be asked', async () => {
    const { state, stub } = await changingService()
    try {
      await useEnvironment(page, { name: 'Other', baseUrl: stub.baseUrl })
      await expect.poll(() => shownNames(page)).toHaveLength(5)
      await page.getByRole('radio', { name: 'Cached' }).check()
      await expect.poll(() => shownNames(page)).toHaveLength(5)
      state.all = [anyDeployment(6), ...state.all]
      await page.getByRole('button', { name: 'Refresh' }).click()
      await expect.poll(() => shownNames(page)).toContain('stub-6')
      state.isDown = true
      await page.getByRole('button', { name: 'Refresh' }).click()
      await expect(page.getByRole('alert')).toContainText('Being maintained.')
      expect(await shownNames(page)).toContain('stub-6')
      await page.getByRole('textbox', { name: 'Search deployments' }).fill('stub-6')
      await expect(page.getByText('1 of 6 cached deployments')).toBeVisible()
    } finally {
      await stub.close()
    }
  })
})

test('the cache knows what is rolling out, and a finished row stays until the operator updates the list', async ({
  page,
}) => {
  const { state, stub } = await changingService()
  const revisions = (latest: string, active: string) => ({
    latest_revision_id: `${latest}0000000-0000-4000-8000-000000000000`,
    active_revision_id: `${active}0000000-0000-4000-8000-000000000000`,
  })
  const [ready = {}, rolling = {}, next = {}] = state.all
  state.all = [ready, { ...rolling, ...revisions('2', '1') }, next]
  state.isDown = true
  try {
    await useEnvironment(page, { baseUrl: stub.baseUrl })
    await page.getByRole('button', { name: 'Rolling out', exact: true }).click()
    await expect(page.getByText("Rollouts aren't known yet")).toBeVisible()
    await expect(page.getByText('0 of 0')).toHaveCount(0)
    state.isDown = false
    // A sync may begin by itself once the service answers.
    const sync = page.getByRole('button', { name: 'Sync', exact: true })
    await expect(async () => {
      if (await sync.isVisible()) await sync.click({ timeout: 500 })
      expect(await shownNames(page)).toEqual(['stub-4'])
    }).toPass()
    await page.getByRole('radio', { name: 'Live' }).check()
    await choose(page, 'Auto-refresh', 'Every 5 s')
    await page.getByRole('button', { name: 'Rolling out 1', exact: true }).click()
    await expect.poll(() => shownNames(page)).toEqual(['stub-4'])

    const marked = await noteMarkedRows(page)
    state.all = [ready, { ...rolling, ...revisions('2', '2') }, { ...next, ...revisions('4', '3') }]
    const news = page.getByLabel('Data shown')
    await expect(news.getByText('1 new rollout, 1 finished')).toBeVisible({ timeout: 20_000 })
    await expect.poll(marked).toMatch(/stub-4/)
    expect(await shownNames(page)).toEqual(['stub-4'])
    await news.getByRole('button', { name: 'Update the list' }).click()
    await expect.poll(() => shownNames(page)).toEqual(['stub-3'])
    await expect(news.getByRole('button', { name: 'Update the list' })).toHaveCount(0)

    state.all = [ready, next]
    await expect(news.getByText('1 finished')).toBeVisible({ timeout: 20_000 })
    await news.getByRole('button', { name: 'Update the list' }).click()
    await expect(page.getByText('Nothing is rolling out')).toBeVisible()
  } finally {
    await stub.close()
  }
})

test('names are ordered by letters and numbers and found in any form, and what was seen is offered to filter by', async ({
  page,
}) => {
  const names = ['agent-1', 'Agent-2', 'agent-10', 'ägent-11', 'Kolsås', 'zeta', 'Жук']
  const { state, stub } = await changingService()
  state.all = [4, 1, 6, 2, 5, 0, 3].map((index) => ({
    ...anyDeployment(index + 1),
    name: names[index],
    ...(index === 4 ? { status: 'AWAITING_FINAL_DELETE', latest_revision_id: anyDeployment(9).id } : {}),
    ...(index === 5 ? { source_config: { deployment_type: 'preview' } } : {}),
  }))
  try {
    await useEnvironment(page, { baseUrl: stub.baseUrl })
    await expect.poll(() => shownNames(page)).toHaveLength(names.length)
    await expect(deploymentsTable(page).getByRole('row', { name: 'Kolsås' })).not.toContainText('rolling out')
    await page.getByRole('radio', { name: 'Cached' }).check()
    await page.getByRole('button', { name: 'Sync now' }).click()
    await expect(page.getByRole('button', { name: /^Not ready \d+$/ })).toBeVisible()
    await page.getByRole('radio', { name: 'Live' }).check()
    await deploymentsTable(page).getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await expect.poll(() => shownNames(page)).toEqual(names)
    const search = page.getByRole('textbox', { name: 'Search deployments' })
    for (const text of ['KOLSÅ', 'kolsa\u030a']) {
      await search.fill(text)
      await expect.poll(() => shownNames(page)).toEqual(['Kolsås'])
    }
    await search.clear()
    await choose(page, 'Deployment type', 'preview')
    await expect.poll(() => shownNames(page)).toEqual(['zeta'])
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await choose(page, 'Status', 'AWAITING_FINAL_DELETE')
    await expect.poll(() => shownNames(page)).toEqual(['Kolsås'])
  } finally {
    await stub.close()
  }
})

test('the live list works by keyboard, is sorted by the cache, and says so', async ({ page }) => {
  await page.getByRole('radio', { name: 'Cached' }).check()
  await page.getByRole('button', { name: 'Sync now' }).click()
  await expect(page.getByRole('button', { name: /^Not ready \d+$/ })).toBeVisible()
  await page.getByRole('radio', { name: 'Live' }).check()
  await expect.poll(() => shownNames(page)).toHaveLength(50)
  const names = await shownNames(page)
  const link = (index: number) =>
    deploymentsTable(page).getByRole('link', { name: names[index]!, exact: true })

  await page.getByRole('heading', { name: 'Deployments', level: 1 }).focus()
  await page.keyboard.press('j')
  await expect(link(0)).toBeFocused()
  for (const key of ['j', 'ArrowDown', 'j', 'k']) await page.keyboard.press(key)
  await expect(link(2)).toBeFocused()
  await page.keyboard.press('End')
  await expect(link(49)).toBeFocused()
  await expect(link(49)).toBeInViewport()

  const updated = deploymentsTable(page).getByRole('columnheader', { name: 'Updated' })
  await updated.getByRole('button').click()
  await expect(updated).toHaveAttribute('aria-sort', 'descending')
  await expect(page.getByText("The service can't sort, so the list comes from the cache.")).toBeVisible()
  await expect(deploymentsTable(page)).toHaveAttribute('aria-rowcount', '251')
  await page.getByRole('button', { name: 'Show live' }).click()
  await expect(page.getByRole('radio', { name: 'Live' })).toBeChecked()
  await expect.poll(() => shownNames(page)).toEqual(names)
})

test('the list is restored at the next start, and its choices have no input in plain text', async ({
  slipway,
  start,
  userData,
}) => {
  const { page } = slipway
  await page.getByRole('button', { name: /^Not ready/ }).click()
  await setPageSize(page, 20)
  await page.getByRole('textbox', { name: 'Search deployments' }).fill('typed')
  // Typing has paused.
  await expect(page.getByText('No deployment matches')).toBeVisible()
  await choose(page, 'Auto-refresh', 'Every 60 s')
  await page.getByRole('radio', { name: 'Cached' }).check()
  await expect
    .poll(() => readFile(join(userData, 'choices.json'), 'utf8'))
    .toMatch(/"refreshSeconds": 60[^]*"data": "cached"/)
  expect(await readFile(join(userData, 'choices.json'), 'utf8')).not.toContain('typed')
  await slipway.close()

  const again = (await start()).page
  await expect(again.getByRole('radio', { name: 'Cached' })).toBeChecked()
  await expect(again.getByRole('button', { name: /^Not ready/ })).toHaveAttribute('aria-pressed', 'true')
  await again.getByRole('radio', { name: 'Live' }).check()
  await expect(again.getByRole('combobox', { name: 'Page size' })).toHaveValue('20')
  await expect(again.getByRole('combobox', { name: 'Auto-refresh' })).toHaveValue('Every 60 s')
  await expect(again.getByRole('textbox', { name: 'Search deployments' })).toHaveValue('typed')
})
