import { sampleTagValueIds } from '@contract'
import {
  askDirectly,
  choose,
  deploymentsTable,
  openSection,
  setPageSize,
  shownNames,
} from '../../support/page/deployments'
import { expect, test } from '../../support/fixtures'
import { anyDeployment, json, StubService, useEnvironment } from '../../support/services/stub-service'

test('pages to the end and back, and takes every page size from 1 to 100 and no other', async ({ page }) => {
  const next = page.getByRole('button', { name: 'Next page' })
  const previous = page.getByRole('button', { name: 'Previous page' })
  const rows = deploymentsTable(page).getByRole('rowheader')
  const expected = (await askDirectly(page)).map(({ name }) => name)
  expect(expected).toHaveLength(250)
  await expect(rows).toHaveCount(50)
  await expect(previous).toBeDisabled()

  const pages: string[][] = [await shownNames(page)]
  for (let offset = 50; offset < 250; offset += 50) {
    await next.click()
    await expect(page.getByText(`${offset + 1}–${offset + 50}`)).toBeVisible()
    pages.push(await shownNames(page))
  }
  expect(pages.flat(), 'each deployment exactly once').toEqual(expected)
  // The last page is full, so that only the next one tells that nothing follows.
  await next.click()
  await expect(page.getByText('End of the list')).toBeVisible()
  await expect(next).toBeDisabled()
  await expect(page.getByText('201–250')).toBeVisible()
  expect(await shownNames(page)).toEqual(pages.at(-1))
  for (const names of pages.slice(0, -1).reverse()) {
    await previous.click()
    await expect(rows.first()).toContainText(names[0]!)
    expect(await shownNames(page)).toEqual(names)
  }
  await expect(previous).toBeDisabled()

  for (const size of [100, 1]) {
    await setPageSize(page, size)
    await expect(rows).toHaveCount(size)
  }
  for (const wrong of ['0', '101', '2.5', 'many']) {
    const field = page.getByRole('combobox', { name: 'Page size' })
    await field.fill(wrong)
    await field.press('Enter')
    await expect(page.getByText('Enter a whole number from 1 to 100.')).toBeVisible()
    await expect(rows).toHaveCount(1)
  }
})

test('filters by every field, alone and together, and shows what the service refuses', async ({ page }) => {
  await setPageSize(page, 20)
  const all = await askDirectly(page)
  const clear = page.getByRole('button', { name: 'Clear filters' })
  const text = (name: string) => page.getByRole('textbox', { name })
  const shows = async (expected: { name: string }[]): Promise<void> => {
    expect(expected.length).toBeGreaterThan(0)
    await expect.poll(() => shownNames(page)).toEqual(expected.slice(0, 20).map(({ name }) => name))
  }

  await test.step('part of the name, once typing pauses', async () => {
    const part = all[0]!.name.slice(0, 5)
    await text('Search deployments').pressSequentially(part)
    await shows(all.filter(({ name }) => name.includes(part)))
    await clear.click()
  })
  await test.step('several statuses, chosen individually and as a preset, on all pages', async () => {
    await choose(page, 'Status', 'Unused')
    await page.getByRole('option', { name: 'Unknown', exact: true }).click()
    await shows(all.filter(({ status }) => ['UNUSED', 'UNKNOWN'].includes(status)))
    await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveValue('Unused, Unknown')
    await page.getByRole('button', { name: /^Not ready/ }).click()
    const notReady = all.filter(({ status }) => status !== 'READY')
    await shows(notReady)
    const next = page.getByRole('button', { name: 'Next page' })
    const shown = await shownNames(page)
    while (await next.isEnabled()) {
      await next.click()
      await expect(page.getByText(`${shown.length + 1}–`)).toBeVisible()
      shown.push(...(await shownNames(page)))
    }
    expect(shown).toEqual(notReady.map(({ name }) => name))
    await clear.click()
  })
  await test.step('deployment type, remote reconciled, image version, tag values, identifiers', async () => {
    await choose(page, 'Deployment type', 'Development (free)')
    await shows(await askDirectly(page, { deployment_type: 'dev_free' }))
    await choose(page, 'Remote reconciled', 'No')
    await shows(await askDirectly(page, { deployment_type: 'dev_free', remote_reconciled: false }))
    await clear.click()
    const version = all.find(({ image_version }) => image_version)!.image_version!
    await text('Image version').fill(version)
    await shows(all.filter(({ image_version }) => image_version === version))
    await clear.click()
    const tags = Object.values(sampleTagValueIds).slice(0, 2)
    const tagged = await askDirectly(page, { tag_value_ids: tags.join(',') })
    expect(tagged.length).toBeLessThan(all.length)
    await text('Tag value IDs').fill(tags.join(' , '))
    await shows(tagged)
    await clear.click()
    const chosen = [all[3]!, all[120]!]
    await text('Deployment IDs').fill(chosen.map(({ id }) => id).join(', '))
    await shows(chosen)
  })
  await test.step('what the service refuses: its message, and what to do next', async () => {
    await text('Deployment IDs').fill('not-an-identifier')
    await expect(page.getByRole('alert')).toContainText('UUID')
    await text('Deployment IDs').fill('')
    await expect(page.getByRole('alert')).toHaveCount(0)
    await shows(all)
  })
  await test.step('together, from the first page; clearing them shows everything again', async () => {
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect(page.getByText('21–40')).toBeVisible()
    await choose(page, 'Status', 'Ready')
    await text('Search deployments').fill('agent')
    await shows(all.filter(({ name, status }) => name.includes('agent') && status === 'READY'))
    await expect(page.getByRole('button', { name: 'Previous page' })).toBeDisabled()
    await text('Search deployments').fill('no deployment is called this')
    await expect(page.getByText('No deployment matches the filters')).toBeVisible()
    await clear.click()
    await shows(all)
    await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveValue('')
    await expect(text('Search deployments')).toHaveValue('')
  })
})

test('filters live and in the cache alike, with counts, and leads from one to the other', async ({
  page,
}) => {
  await setPageSize(page, 100)
  const all = await askDirectly(page)
  await test.step('every status but some, live and cached', async () => {
    const but = (...left: string[]) =>
      all.filter(({ status }) => !left.includes(status)).map(({ name }) => name)
    const field = page.getByRole('combobox', { name: 'Status', exact: true })
    const isNot = page.getByRole('button', { name: 'Status is not', exact: true })
    await expect(isNot).toHaveCount(0)
    await choose(page, 'Status', 'Ready')
    await page.keyboard.press('Escape')
    await isNot.click()
    await expect(field).toHaveValue('not Ready')
    expect(await field.evaluate((one) => one.scrollWidth <= one.clientWidth), 'nothing is cut off').toBe(true)
    await expect(isNot).toHaveAttribute('aria-pressed', 'true')
    await expect.poll(() => shownNames(page)).toEqual(but('READY').slice(0, 100))

    const unused = all.find(({ status }) => status === 'UNUSED')!
    const row = deploymentsTable(page).getByRole('row').filter({ hasText: unused.name })
    await row.click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Hide status Unused' }).click()
    await expect(field).toHaveValue('not Ready, Unused')
    await expect.poll(() => shownNames(page)).toEqual(but('READY', 'UNUSED').slice(0, 100))

    await page.getByRole('radio', { name: 'Cached' }).check()
    await page.getByRole('button', { name: 'Sync now' }).click()
    await expect(deploymentsTable(page)).toHaveAttribute(
      'aria-rowcount',
      String(but('READY', 'UNUSED').length + 1),
    )
    await isNot.click()
    await expect(deploymentsTable(page)).toHaveAttribute(
      'aria-rowcount',
      String(all.length - but('READY', 'UNUSED').length + 1),
    )
    await expect(field).toHaveValue('Ready, Unused')
  })
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await test.step('a preset whose count matches the list', async () => {
    const notReady = all.filter(({ status }) => status !== 'READY')
    const preset = page.getByRole('button', { name: `Not ready ${notReady.length}`, exact: true })
    await preset.click()
    await expect(preset).toHaveAttribute('aria-pressed', 'true')
    await expect(deploymentsTable(page)).toHaveAttribute('aria-rowcount', String(notReady.length + 1))
    expect(await shownNames(page)).toEqual(
      notReady.slice(0, (await shownNames(page)).length).map(({ name }) => name),
    )
    await preset.click()
    await expect(deploymentsTable(page)).toHaveAttribute('aria-rowcount', '251')
  })
  await test.step('a live search that finds nothing leads to the cache, and back', async () => {
    const wanted = all.find(({ image_uri }) => image_uri)!
    await page.getByRole('radio', { name: 'Live' }).check()
    const search = page.getByRole('textbox', { name: 'Search deployments' })
    await search.fill(wanted.id)
    await expect(page.getByText('The live search covers names only.')).toBeVisible()
    await page.getByRole('button', { name: 'Search the cache' }).click()
    await expect.poll(() => shownNames(page)).toEqual([wanted.name])
    await expect(search).toBeFocused()
    await search.fill(wanted.image_uri!)
    await expect.poll(() => shownNames(page)).toContain(wanted.name)
    await search.fill('')
    await expect(page.getByRole('radio', { name: 'Live' })).toBeChecked()
    await expect.poll(() => shownNames(page)).toEqual(all.slice(0, 100).map(({ name }) => name))
  })
})

test('opens a deployment, copies from it, clones it, and comes back to the same page', async ({
  page,
  app,
}) => {
  await setPageSize(page, 10)
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText('11–20')).toBeVisible()
  const names = await shownNames(page)
  const deployment = (await askDirectly(page)).find(({ name }) => name === names[2])!
  const clipboard = () => app.evaluate(({ clipboard }) => clipboard.readText())
  const copyOfRow = page.getByRole('button', { name: `Copy ID of ${deployment.name}`, exact: true })
  await page.getByRole('link', { name: deployment.name, exact: true }).hover()
  await copyOfRow.click()
  await expect.poll(clipboard).toBe(deployment.id)
  await expect(copyOfRow).toHaveAttribute('title', 'Copied')
  await app.evaluate(({ clipboard }) => clipboard.clear())
  await page.getByRole('link', { name: deployment.name, exact: true }).click()

  await expect(page.getByRole('heading', { name: deployment.name, level: 1 })).toBeFocused()
  await page.getByRole('button', { name: 'Copy ID', exact: true }).click()
  await expect.poll(clipboard).toBe(deployment.id)
  await page.getByRole('button', { name: 'Copy JSON', exact: true }).click()
  await expect.poll(clipboard).toContain(`"name": "${deployment.name}"`)
  const copied = JSON.parse(await clipboard()) as { id: string; secrets: { value: string }[] }
  expect(copied.id).toBe(deployment.id)
  expect(copied.secrets.every(({ value }) => value === '')).toBe(true)
  for (const title of ['Source', 'Latest revision', 'Secrets', 'Identifiers', 'Times']) {
    await expect(page.getByRole('region', { name: title, exact: true })).toBeVisible()
  }
  await openSection(page, 'JSON')
  await expect(page.getByRole('region', { name: 'Deployment as JSON' })).toContainText(deployment.id)

  await page.getByRole('button', { name: 'Back to the list' }).click()
  await expect(page.getByText('11–20')).toBeVisible()
  expect(await shownNames(page)).toEqual(names)

  await page.getByRole('link', { name: deployment.name, exact: true }).click()
  await page.getByRole('button', { name: 'Clone', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'New deployment', level: 1 })).toBeFocused()
  const isOfRepository = deployment.source === 'repohost'
  const [field, value] = isOfRepository
    ? (['Repository URL', deployment.repo_url] as const)
    : (['Image URI', deployment.image_uri] as const)
  const cloned = page.getByRole(isOfRepository ? 'combobox' : 'textbox', { name: field })
  await expect(cloned).toHaveValue(value ?? '')
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).not.toHaveValue(deployment.name)

  await page.evaluate(() => {
    location.hash = '#/deployments/00000000-0000-4000-8000-000000000000'
  })
  await expect(page.getByRole('alert')).toBeVisible()
  await page.getByRole('alert').getByRole('button', { name: 'Back to the list' }).click()
  await expect(deploymentsTable(page)).toBeVisible()
})

test('shows odd values of a service in full, and that a list is no longer empty after a failure', async ({
  page,
  slipway,
}) => {
  await test.step('shows ages in full at the default size, blanks at the ends of a name, and a word for a blank status', async () => {
    const minutes = (count: number) => new Date(Date.now() - count * 60_000).toISOString()
    const resources = [
      { ...anyDeployment(1), name: '  lead', status: '', updated_at: minutes(51.5) },
      { ...anyDeployment(2), name: 'lead', updated_at: minutes(60 * 24 * 30.5 * 10.5) },
      { ...anyDeployment(3), name: 'trail ', updated_at: '0001-01-01T00:00:00Z' },
    ]
    const stub = await StubService.start((query, response, headers) => {
      const first = query.get('offset') === '0'
      json({ resources: first ? resources : [], offset: first ? 3 : 0 })(query, response, headers)
    })
    try {
      await useEnvironment(page, { baseUrl: stub.baseUrl })
      await expect(deploymentsTable(page).getByRole('link')).toHaveText(['␣␣lead', 'lead', 'trail␣'])
      await expect(deploymentsTable(page).getByRole('row').nth(1)).toContainText('No status')
      for (const words of ['51m', /^\d+mo$/]) {
        const cell = deploymentsTable(page).getByRole('cell').filter({ hasText: words })
        await expect(cell).toHaveCount(1)
        expect(await cell.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
      }
    } finally {
      await stub.close()
    }
  })
  await test.step('a list that was empty before a failure no longer says so', async () => {
    slipway.expectErrors(/Failed to load resource/)
    const stub = await StubService.start(json({ resources: [], offset: 0 }))
    await useEnvironment(page, { name: 'Emptied', baseUrl: stub.baseUrl })
    await expect(page.getByText('No deployments yet')).toBeVisible()
    stub.answer = json({ detail: 'The API key is missing.' }, 401)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect(page.getByRole('alert')).toContainText('The API key is missing.')
    await expect(page.getByText('No deployments yet')).toBeHidden()
    await stub.close()
  })
})
