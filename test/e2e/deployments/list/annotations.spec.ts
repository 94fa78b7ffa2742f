import { join } from 'node:path'
import Database from 'libsql'
import type { Page } from '@playwright/test'
import { choose, shownNames } from '../../support/page/deployments'
import { expect, test } from '../../support/fixtures'
import { inspectScreen } from '../../support/page/screens'
import { anyDeployment, changingService, useEnvironment } from '../../support/services/stub-service'

/** A service with three deployments, of which a test removes some. */
const service = () => changingService(...[3, 2, 1].map(anyDeployment))

const favourite = (page: Page) => page.getByRole('button', { name: 'Favourite', exact: true })
const note = (page: Page) => page.getByRole('textbox', { name: 'Note' })

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
}

test('a favourite, labels and a note survive a restart, and belong to one service', async ({
  slipway,
  page,
  start,
}) => {
  const { stub } = await service()
  const other = await service()
  try {
    await useEnvironment(page, { name: 'Notes', baseUrl: stub.baseUrl })
    await open(page, 'stub-2')
    await expect(favourite(page)).toHaveAttribute('aria-pressed', 'false')
    await favourite(page).click()
    await expect(favourite(page)).toHaveAttribute('aria-pressed', 'true')
    await page.getByRole('combobox', { name: 'Add label' }).fill('mine')
    await page.keyboard.press('Enter')
    const labels = page.getByRole('list', { name: 'Labels' })
    await expect(labels.getByText('mine')).toBeVisible()
    // Right away, before the first call is answered.
    for (const label of ['red', 'blue']) {
      await page.getByRole('combobox', { name: 'Add label' }).fill(label)
      await page.keyboard.press('Enter')
    }
    await expect(labels.getByRole('listitem')).toHaveText(['mine', 'red', 'blue'])
    await labels.evaluate((list) => list.querySelectorAll('button').forEach((each, at) => at && each.click()))
    await expect(labels.getByRole('listitem')).toHaveText(['mine'])
    await note(page).fill('Ask Ann before you touch it.')
    await page.getByRole('heading', { level: 1 }).click()
    await expect(page.getByText('Stored on this machine only')).toBeVisible()
    await inspectScreen(slipway, 'deployment-annotated')
    // The application is closed right after the input.
    await note(page).pressSequentially(' Thanks.')
    await slipway.close()

    const again = await start()
    // A start opens the last screen.
    await expect(again.page.getByRole('heading', { name: 'stub-2', level: 1 })).toBeVisible()
    await expect(favourite(again.page)).toHaveAttribute('aria-pressed', 'true')
    await expect(again.page.getByRole('button', { name: 'Remove label mine' })).toBeVisible()
    await expect(note(again.page)).toHaveValue('Ask Ann before you touch it. Thanks.')

    // Another service with the same identifiers has its own notes.
    await useEnvironment(again.page, { name: 'Other', baseUrl: other.stub.baseUrl })
    await again.page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Deployments' })
      .click()
    await open(again.page, 'stub-2')
    await expect(favourite(again.page)).toHaveAttribute('aria-pressed', 'false')
    await expect(note(again.page)).toHaveValue('')
  } finally {
    await stub.close()
    await other.stub.close()
  }
})

test('a note that cannot be written is reported on every screen, and saved once it can', async ({
  slipway,
  page,
  userData,
}) => {
  const { stub } = await service()
  const otherWriter = new Database(join(userData, 'state.db'))
  const banner = page.getByRole('region', { name: 'Unsaved notes' })
  try {
    await useEnvironment(page, { name: 'Notes', baseUrl: stub.baseUrl })
    await open(page, 'stub-2')
    await note(page).fill('First.')
    await expect(page.getByText('Stored on this machine only')).toBeVisible()
    // As long as another program writes, no note can be.
    otherWriter.exec('begin immediate')
    await note(page).fill('Typed while nothing could be written.')
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await expect(banner).toContainText("The note of stub-2 isn't saved yet.")
    await inspectScreen(slipway, 'note-unsaved')
    otherWriter.exec('rollback')
    // Slipway retries automatically.
    await expect(banner).toHaveCount(0, { timeout: 20_000 })
    await open(page, 'stub-2')
    await expect(note(page)).toHaveValue('Typed while nothing could be written.')
    await expect(page.getByText('Stored on this machine only')).toBeVisible()

    otherWriter.exec('begin immediate')
    await note(page).fill('Again.')
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await banner.getByRole('link', { name: 'Open stub-2' }).click()
    await expect(note(page)).toHaveValue('Again.')
    otherWriter.exec('rollback')
    await banner.getByRole('button', { name: 'Retry' }).click()
    await expect(banner).toHaveCount(0)
  } finally {
    otherWriter.close()
    await stub.close()
  }
})

test('favourites and labels filter the list, and a favourite that is gone is still named', async ({
  slipway,
  page,
}) => {
  const { state, stub } = await service()
  const star = (name: string) => page.getByRole('button', { name: `Favourite ${name}`, exact: true })
  const favourites = page.getByRole('button', { name: 'Favourites', exact: true })
  try {
    await useEnvironment(page, { name: 'Notes', baseUrl: stub.baseUrl })
    await expect.poll(() => shownNames(page)).toHaveLength(3)
    await page.getByRole('row').filter({ hasText: 'stub-3' }).hover()
    await star('stub-3').click()
    await expect(star('stub-3')).toHaveAttribute('aria-pressed', 'true')
    await page.getByRole('link', { name: 'stub-1', exact: true }).focus()
    await page.keyboard.press('f')
    await expect(star('stub-1')).toHaveAttribute('aria-pressed', 'true')
    await open(page, 'stub-1')
    await page.getByRole('combobox', { name: 'Add label' }).fill('mine')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Remove label mine' })).toBeVisible()
    await page.getByRole('button', { name: 'Back to the list' }).click()

    await favourites.click()
    await expect.poll(() => shownNames(page)).toEqual(['stub-3', 'stub-1'])
    await inspectScreen(slipway, 'deployments-favourites')
    await choose(page, 'Label', 'mine')
    await expect.poll(() => shownNames(page)).toEqual(['stub-1'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => shownNames(page)).toHaveLength(3)

    state.all = state.all.filter(({ name }) => name !== 'stub-1')
    await favourites.click()
    await expect.poll(() => shownNames(page)).toEqual(['stub-3'])
    const gone = page.getByRole('region', { name: 'Gone favourites' })
    await expect(gone).toContainText(/stub-1\s*gone/)
    await inspectScreen(slipway, 'deployments-favourite-gone')
    await gone.getByRole('link', { name: 'stub-1' }).click()
    await expect(page.getByRole('heading', { name: 'stub-1', level: 1 })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Remove label mine' })).toBeVisible()
    await page.getByRole('button', { name: 'Back to the list' }).first().click()
    await gone.getByRole('button', { name: 'Remove stub-1 from favourites' }).click()
    await expect(gone).toHaveCount(0)

    await page.getByRole('radio', { name: 'Cached' }).check()
    await expect.poll(() => shownNames(page)).toEqual(['stub-3'])
    await star('stub-3').click()
    await expect.poll(() => shownNames(page)).toEqual([])
  } finally {
    await stub.close()
  }
})
