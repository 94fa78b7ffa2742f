import type { Locator, Page } from '@playwright/test'
import { builtInEnvironments } from '@contract'
import { fill, goTo, openForm, press, switchTo, textbox } from '../support/page/creation'
import { deploymentsTable } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'

const sections = (page: Page): Locator => page.getByRole('navigation', { name: 'Sections of the form' })
const link = (page: Page, name: string): Locator => sections(page).getByRole('button', { name, exact: true })
const preview = (page: Page): Locator => page.getByRole('region', { name: 'Request preview' })
const edge = (page: Page): Locator => page.getByRole('separator', { name: 'Width of the request preview' })
const heightOf = (element: Locator): Promise<number> =>
  element.evaluate((one) => one.getBoundingClientRect().height)
const widthOf = (element: Locator): Promise<number> =>
  element.evaluate((one) => one.parentElement!.getBoundingClientRect().width)

test('the sections stay in view with their errors, sources and notes take one line, and rare actions are in a menu', async ({
  slipway,
  page,
}) => {
  await test.step('the list of sections stays in view, shows how many errors each has, and leads to their fields', async () => {
    await openForm(page)
    for (const name of ['Deployment', 'Source', 'Resources', 'Secrets'])
      await expect(link(page, name)).toBeVisible()
    await press(page, 'Create deployment')
    await expect(link(page, 'Deployment, 1 error')).toBeVisible()
    for (const name of ['Source', 'Secrets']) await expect(link(page, name), 'no error').toBeVisible()
    await inspectScreen(slipway, 'new-deployment-sections')

    for (const size of [
      { width: 1280, height: 800 },
      { width: 900, height: 600 },
    ]) {
      await slipway.resize(size.width, size.height)
      await link(page, 'Secrets').click()
      const heading = page.getByRole('heading', { name: 'Secrets', exact: true })
      await expect(heading).toBeFocused()
      await expect(heading).toBeInViewport()
      await expect(link(page, 'Deployment, 1 error'), 'they stay').toBeInViewport()
      await link(page, 'Deployment, 1 error').click()
      await expect(textbox(page, 'Name')).toBeInViewport()
    }
    await fill(page, { Name: 'now-named' })
    await expect(link(page, 'Deployment')).toBeVisible()
  })
  await slipway.resize(1280, 800)
  await test.step('the only source of a self-hosted environment takes one line', async () => {
    await switchTo(page, builtInEnvironments['self-hosted'].name)
    await openForm(page)
    const group = page.getByRole('radiogroup', { name: 'Source' })
    await expect(group.getByRole('radio', { name: 'External image' })).toBeChecked()
    await expect(group.getByRole('radio')).toHaveCount(5)
    expect(await heightOf(group)).toBeLessThan(30)
    await expect(
      page.getByText(
        'Only in cloud environments: Repository, Internal image, Internal source, Internal template',
      ),
    ).toBeVisible()
    await inspectScreen(slipway, 'new-deployment-self-hosted')
  })
  await goTo(page, 'Deployments')
  await test.step('a draft says when it is saved, its rare actions are in a menu, and its notes are one line', async () => {
    await deploymentsTable(page).getByRole('link').first().click()
    await press(page, 'Clone')
    await expect(page.getByText('Draft saved', { exact: true })).toBeVisible()
    const notes = page.getByRole('group', { name: /^Cloned from / })
    expect(await heightOf(notes)).toBe(36)
    await expect(notes.getByRole('listitem')).toHaveCount(0)
    await inspectScreen(slipway, 'new-deployment-notes')
    await notes.getByRole('button', { name: /^Cloned from / }).click()
    await expect(notes.getByRole('listitem').first()).toBeVisible()
    await fill(page, { Name: 'a-clone' })
    await expect(page.getByText('Draft saved', { exact: true })).toBeVisible()
    await press(page, 'More actions')
    const menu = page.getByRole('menu', { name: 'More actions' })
    await expect(menu.getByRole('menuitem')).toHaveText([
      'New draft',
      'Copy or move draft…',
      'Compare with…',
      'Discard draft',
    ])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: 'More actions' })).toBeFocused()
  })
})

test('the preview keeps the width that it is dragged to, also after a restart', async ({ start }) => {
  test.slow()
  const first = await start()
  await first.resize(1920, 1080)
  await openForm(first.page)
  const usual = await widthOf(edge(first.page))
  const { x, y, height } = (await edge(first.page).boundingBox())!
  await first.page.mouse.move(x + 3, y + height / 2)
  await first.page.mouse.down()
  await first.page.mouse.move(x + 3 - 100, y + height / 2, { steps: 4 })
  await first.page.mouse.up()
  const wide = await widthOf(edge(first.page))
  expect(wide).toBeGreaterThan(Math.min(usual + 90, 719))
  await edge(first.page).press('Home')
  await expect.poll(() => widthOf(edge(first.page))).toBe(320)
  await edge(first.page).press('ArrowLeft')
  await expect.poll(() => widthOf(edge(first.page))).toBe(336)
  await edge(first.page).press('End')
  await expect.poll(() => widthOf(edge(first.page))).toBe(720)
  await first.resize(900, 600)
  await expect(edge(first.page)).toBeHidden()
  await expect(preview(first.page)).toBeAttached()
  await first.close()

  const again = await start()
  const { page } = again
  await again.resize(1920, 1080)
  await openForm(page)
  expect(await widthOf(edge(page))).toBe(720)
  await edge(page).dblclick()
  await expect.poll(() => widthOf(edge(page))).toBe(usual)
})
