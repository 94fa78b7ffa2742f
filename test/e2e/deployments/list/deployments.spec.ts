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

test('pages to the end and back, and shows each deployment exactly once', async ({ page }) => {
  const next = page.getByRole('button', { name: 'Next page' })
  const previous = page.getByRole('button', { name: 'Previous page' })
  const expected = (await askDirectly(page)).map(({ name }) => name)
  expect(expected).toHaveLength(250)
  await setPageSize(page, 37)
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(37)
  await expect(previous).toBeDisabled()

  const pages: string[][] = [await shownNames(page)]
  while (await next.isEnabled()) {
    const before = pages.at(-1)?.[0] ?? ''
    await next.click()
    await expect(deploymentsTable(page).getByRole('link', { name: before, exact: true })).toHaveCount(0)
    pages.push(await shownNames(page))
  }
  expect(pages.flat()).toEqual(expected)
  expect(pages).toHaveLength(Math.ceil(250 / 37))
  await expect(page.getByText('End of the list')).toBeVisible()

  for (const names of pages.slice(0, -1).reverse()) {
    await previous.click()
    await expect(deploymentsTable(page).getByRole('rowheader').first()).toContainText(names[0] ?? '')
    expect(await shownNames(page)).toEqual(names)
  }
  await expect(previous).toBeDisabled()
})

test('ends where the last page is full', async ({ page }) => {
  await setPageSize(page, 50)
  for (let offset = 50; offset < 250; offset += 50) {
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect(page.getByText(`${offset + 1}–${offset + 50}`)).toBeVisible()
  }
  const next = page.getByRole('button', { name: 'Next page' })
  const names = await shownNames(page)
  await next.click()
  await expect(page.getByText('End of the list')).toBeVisible()
  await expect(next).toBeDisabled()
  await expect(page.getByText('201–250')).toBeVisible()
  expect(await shownNames(page)).toEqual(names)
})

test('takes every page size from 1 to 100 and no other', async ({ page }) => {
  for (const size of [1, 100]) {
    await setPageSize(page, size)
    await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(size)
  }
  for (const wrong of ['0', '101', '2.5', 'many']) {
    const field = page.getByRole('combobox', { name: 'Page size' })
    await field.fill(wrong)
    await field.press('Enter')
    await expect(page.getByText('Enter a whole number from 1 to 100.')).toBeVisible()
    await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(100)
  }
})

test.describe('filters', () => {
  test.beforeEach(async ({ page }) => setPageSize(page, 100))

  test('by part of the name, once typing pauses', async ({ page }) => {
    const all = await askDirectly(page)
    const part = all[0]?.name.slice(0, 5) ?? ''
    const expected = all.filter(({ name }) => name.includes(part)).map(({ name }) => name)
    await page.getByRole('textbox', { name: 'Search deployments' }).pressSequentially(part)
    await expect.poll(() => shownNames(page)).toEqual(expected)
  })

  test('by each status', async ({ page }) => {
    const all = await askDirectly(page)
    const words = {
      AWAITING_DATABASE: 'Awaiting database',
      READY: 'Ready',
      UNUSED: 'Unused',
      AWAITING_DELETE: 'Awaiting delete',
      UNKNOWN: 'Unknown',
    }
    for (const [status, word] of Object.entries(words)) {
      const expected = all.filter((deployment) => deployment.status === status).map(({ name }) => name)
      expect(expected.length, status).toBeGreaterThan(0)
      await choose(page, 'Status', word)
      await expect.poll(() => shownNames(page)).toEqual(expected.slice(0, 100))
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Clear filters' }).click()
    }
  })

  test('by several statuses, chosen individually and as a preset, on all pages', async ({ page }) => {
    const all = await askDirectly(page)
    await setPageSize(page, 20)
    await choose(page, 'Status', 'Unused')
    await page.getByRole('option', { name: 'Unknown', exact: true }).click()
    const expected = all
      .filter(({ status }) => ['UNUSED', 'UNKNOWN'].includes(status))
      .map(({ name }) => name)
    await expect.poll(() => shownNames(page)).toEqual(expected.slice(0, 20))
    await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveValue('Unused, Unknown')

    await page.getByRole('button', { name: /^Not ready/ }).click()
    const notReady = all.filter(({ status }) => status !== 'READY').map(({ name }) => name)
    await expect.poll(() => shownNames(page)).toEqual(notReady.slice(0, 20))
    const next = page.getByRole('button', { name: 'Next page' })
    const shown = await shownNames(page)
    while (await next.isEnabled()) {
      await next.click()
      await expect(page.getByText(`${shown.length + 1}–`)).toBeVisible()
      shown.push(...(await shownNames(page)))
    }
    expect(shown).toEqual(notReady)
  })

  test('by every status but some, live and cached', async ({ page }) => {
    const all = await askDirectly(page)
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

  test('by a preset whose count matches the list, also in the cache', async ({ page }) => {
    await page.getByRole('radio', { name: 'Cached' }).check()
    await page.getByRole('button', { name: 'Sync now' }).click()
    const notReady = (await askDirectly(page)).filter(({ status }) => status !== 'READY')
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

  test('by deployment type', async ({ page }) => {
    const types = { dev_free: 'Development (free)', dev: 'Development', prod: 'Production' } as const
    for (const [type, word] of Object.entries(types)) {
      const expected = (await askDirectly(page, { deployment_type: type as keyof typeof types })).map(
        ({ name }) => name,
      )
      expect(expected.length, type).toBeGreaterThan(0)
      await choose(page, 'Deployment type', word)
      await expect.poll(() => shownNames(page)).toEqual(expected.slice(0, 100))
    }
  })

  test('by remote reconciled, yes and no', async ({ page }) => {
    for (const [word, remote_reconciled] of [
      ['Yes', true],
      ['No', false],
    ] as const) {
      const expected = (await askDirectly(page, { remote_reconciled })).map(({ name }) => name)
      await choose(page, 'Remote reconciled', word)
      await expect.poll(() => shownNames(page)).toEqual(expected.slice(0, 100))
    }
  })

  test('by image version', async ({ page }) => {
    const all = await askDirectly(page)
    const version = all.find(({ image_version }) => image_version)?.image_version ?? ''
    const expected = all.filter(({ image_version }) => image_version === version).map(({ name }) => name)
    await page.getByRole('textbox', { name: 'Image version' }).fill(version)
    await expect.poll(() => shownNames(page)).toEqual(expected.slice(0, 100))
  })

  test('by tag values and by identifiers', async ({ page }) => {
    const all = await askDirectly(page)
    const tags = Object.values(sampleTagValueIds).slice(0, 2)
    const tagged = (await askDirectly(page, { tag_value_ids: tags.join(',') })).map(({ name }) => name)
    expect(tagged.length).toBeGreaterThan(0)
    expect(tagged.length).toBeLessThan(all.length)
    await page.getByRole('textbox', { name: 'Tag value IDs' }).fill(tags.join(' , '))
    await expect.poll(() => shownNames(page)).toEqual(tagged.slice(0, 100))

    await page.getByRole('button', { name: 'Clear filters' }).click()
    const chosen = [all[3], all[120]].map((deployment) => deployment!)
    await page.getByRole('textbox', { name: 'Deployment IDs' }).fill(chosen.map(({ id }) => id).join(', '))
    await expect.poll(() => shownNames(page)).toEqual(chosen.map(({ name }) => name))
  })

  test('together, from the first page; clearing them shows everything again', async ({ page }) => {
    const all = await askDirectly(page)
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect(page.getByText('101–200')).toBeVisible()
    await choose(page, 'Status', 'Ready')
    await page.getByRole('textbox', { name: 'Search deployments' }).fill('agent')
    const expected = all.filter(({ name, status }) => name.includes('agent') && status === 'READY')
    await expect.poll(() => shownNames(page)).toEqual(expected.map(({ name }) => name))
    await expect(page.getByRole('button', { name: 'Previous page' })).toBeDisabled()

    await page.getByRole('textbox', { name: 'Search deployments' }).fill('no deployment is called this')
    await expect(page.getByText('No deployment matches the filters')).toBeVisible()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => shownNames(page)).toEqual(all.slice(0, 100).map(({ name }) => name))
    await expect(page.getByRole('combobox', { name: 'Status', exact: true })).toHaveValue('')
    await expect(page.getByRole('textbox', { name: 'Search deployments' })).toHaveValue('')
  })

  test('lead from a live search that finds nothing to the cache, and back', async ({ page }) => {
    const all = await askDirectly(page)
    const wanted = all.find(({ image_uri }) => image_uri)!
    await page.getByRole('radio', { name: 'Cached' }).check()
    await page.getByRole('button', { name: 'Sync now' }).click()
    await expect(deploymentsTable(page)).toHaveAttribute('aria-rowcount', '251')
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

  test('that the service refuses: its message, and what to do next', async ({ page }) => {
    await page.getByRole('textbox', { name: 'Deployment IDs' }).fill('not-an-identifier')
    const alert = page.getByRole('alert')
    await expect(alert).toContainText('UUID')
    await page.getByRole('textbox', { name: 'Deployment IDs' }).fill('')
    await expect(alert).toHaveCount(0)
    await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(100)
  })
})

test('opens a deployment, copies from it, and comes back to the same page', async ({ page, app }) => {
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
})

test('clones a deployment into the form, without its name and secrets', async ({ page }) => {
  const deployment = (await askDirectly(page)).find(({ source }) => source === 'repohost')!
  await page.evaluate((id) => {
    location.hash = `#/deployments/${id}`
  }, deployment.id)
  await page.getByRole('button', { name: 'Clone', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'New deployment', level: 1 })).toBeFocused()
  await expect(page.getByRole('radio', { name: 'Repository' })).toBeChecked()
  await expect(page.getByRole('combobox', { name: 'Repository URL' })).toHaveValue(deployment.repo_url ?? '')
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).not.toHaveValue(deployment.name)
})

test('a list that was empty before a failure no longer says so', async ({ slipway, page }) => {
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

test('says so if a deployment does not exist', async ({ page }) => {
  await page.evaluate(() => {
    location.hash = '#/deployments/00000000-0000-4000-8000-000000000000'
  })
  await expect(page.getByRole('alert')).toBeVisible()
  await page.getByRole('alert').getByRole('button', { name: 'Back to the list' }).click()
  await expect(deploymentsTable(page)).toBeVisible()
})

test('shows ages in full at the default size, blanks at the ends of a name, and a word for a blank status', async ({
  page,
}) => {
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
