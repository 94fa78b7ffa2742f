import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { builtInEnvironments, sampleIntegrationId } from '@contract'
import { pressRare } from '../support/page/creation'
import { askDirectly, deploymentsTable } from '../support/page/deployments'
import { alone, expect, test } from '../support/fixtures'

// The most common tasks by keyboard alone: nothing here clicks. Typed text doesn't count as keys.

/** The most keys that a task may take. */
const max = 8

/** Counts the keys of a task, and expects no more than the maximum. */
async function task(
  page: Page,
  name: string,
  steps: (press: (...keys: string[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  let count = 0
  await test.step(name, async () => {
    await steps(async (...keys) => {
      for (const key of keys) {
        count += 1
        await page.keyboard.press(key)
      }
    })
    expect(count, `the keys of "${name}"`).toBeLessThanOrEqual(max)
  })
}

const heading = (page: Page): Locator => page.getByRole('heading', { level: 1 })
const selected = (page: Page): Locator =>
  page.getByRole('dialog', { name: 'Command palette' }).getByRole('option', { selected: true })

test('Enter leads through the form to its review, and the key that opens that confirms nothing in it', async ({
  page,
}) => {
  await test.step('Enter goes to the next empty required field, wraps around, and then opens the review', async () => {
    await page.keyboard.press('Control+N')
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    const field = (label: string) => page.getByLabel(label, { exact: true })
    await expect(heading(page)).toBeFocused()
    await name.focus()
    await page.keyboard.press('Enter')
    // The only integration is selected automatically.
    await expect(field('Repository URL')).toBeFocused()
    await expect(field('Integration ID')).toHaveValue(sampleIntegrationId)
    for (const [label, text] of [
      ['Repository URL', 'https://git.example.com/agent'],
      ['Git ref', 'main'],
    ] as const) {
      await field(label).focus()
      await page.keyboard.type(text)
    }
    await field('Install command').focus()
    await page.keyboard.press('Enter')
    await expect(name).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(field('Config path')).toBeFocused()
    await page.keyboard.type('agents.json')
    await page.keyboard.press('Enter')
    await expect(name).toBeFocused()
    // Nothing else is empty, so the name shows its error.
    await page.keyboard.press('Enter')
    await expect(name).toHaveAccessibleDescription(/Enter a name/)
    await expect(name).toBeFocused()
    await page.keyboard.type('by-enter')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Back to the form' })).toBeFocused()
  })
  await page.keyboard.press('Escape')
  await pressRare(page, 'New draft')
  await test.step('the key that opens the review confirms nothing in it', async () => {
    // The form appears once the drafts are read.
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await expect(name).toBeVisible()
    await page.keyboard.press('Control+Enter')
    await expect(name).toBeFocused()
    await page.keyboard.type('no-config-path')
    await page.keyboard.press('Control+Enter')
    const anyway = page.getByRole('checkbox', { name: /^Create anyway/ })
    await expect(anyway).toBeFocused()
    await expect(anyway).not.toBeChecked()
    await page.keyboard.press('Enter')
    await expect(anyway).toBeChecked()
  })
})

alone('the most common tasks take few keys each', async ({ page, app, userData }) => {
  const statuses = deploymentsTable(page).locator('tbody tr')
  await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
  const { cloud, 'self-hosted': selfHosted } = builtInEnvironments

  await task(page, 'switch', async (press) => {
    await press('Control+E', '2')
    await expect(page.getByRole('button', { name: `Environment: ${selfHosted.name}` })).toBeVisible()
  })
  await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
  const { name } = (await askDirectly(page))[0]!

  /** Runs a command, or opens a result, with the palette: two keys. */
  const choose = async (press: (...keys: string[]) => Promise<void>, text: string, found: string) => {
    await press('Control+K')
    await page.keyboard.type(text)
    await expect(selected(page)).toContainText(found)
    await press('Enter')
  }

  await task(page, 'find by name and open', async (press) => {
    await choose(press, name, name)
    await expect(heading(page)).toHaveText(name)
  })
  await expect(page.getByRole('button', { name: 'Copy JSON' })).toBeVisible()

  await task(page, 'copy an image', async (press) => {
    await choose(press, 'copy image', 'Copy image')
    await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toMatch(/^[\w.-]+\/.+[:@]/)
  })

  await task(page, 'write a note', async (press) => {
    await choose(press, 'edit note', 'Edit note')
    await expect(page.getByRole('textbox', { name: 'Note' })).toBeFocused()
    await page.keyboard.type('asked the team')
    await press('Alt+ArrowLeft')
    await expect(heading(page)).toHaveText('Deployments')
  })

  await task(page, 'back to where one was', async (press) => {
    await press('Alt+ArrowRight')
    await expect(heading(page)).toHaveText(name)
    await expect(page.getByRole('textbox', { name: 'Note' })).toHaveValue('asked the team')
  })

  await task(page, 'clone to another environment', async (press) => {
    await expect(page.getByRole('button', { name: 'Clone', exact: true })).toBeEnabled()
    await choose(press, 'clone to', 'Clone to another environment…')
    const menu = page.getByRole('menu', { name: 'Clone to' })
    await expect(menu.getByRole('menuitem').first()).toBeFocused()
    await page.keyboard.type(cloud.name)
    await expect(menu.getByRole('menuitem', { name: cloud.name })).toBeFocused()
    await press('Enter')
    await expect(page.getByRole('button', { name: `Environment: ${cloud.name}` })).toBeVisible()
    await expect(page.getByRole('textbox', { name: 'Image URI' })).not.toHaveValue('')
  })

  const repositories = page.getByRole('table', { name: 'Repositories' })
  await task(page, 'create from a repository', async (press) => {
    await press('Control+2')
    await expect(heading(page)).toHaveText('Repositories')
    // The only integration is listed automatically.
    await expect(repositories.getByRole('rowheader').first()).toBeVisible()
    const repository = (await repositories.getByRole('rowheader').first().textContent())!
    await press('/')
    await expect(page.getByRole('textbox', { name: 'Search repositories' })).toBeFocused()
    await page.keyboard.type(repository)
    await expect(repositories.getByRole('rowheader')).toHaveCount(1)
    await press('Enter')
    await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused()
    await page.keyboard.type('by-keyboard')
    await press('Enter')
    await expect(page.getByRole('textbox', { name: 'Config path' })).toBeFocused()
    await page.keyboard.type('agents.json')
    await press('Enter')
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Back to the form' })).toBeFocused()
    await press('Tab', 'Enter')
    await expect(heading(page)).toHaveText('by-keyboard')
  })

  await page.keyboard.press('Control+1')
  await expect(heading(page)).toHaveText('Deployments')
  await expect(statuses.first()).toBeVisible()
  for (const [command, preset] of [
    ['show not ready', 'Not ready'],
    ['show rolling out', 'Rolling out'],
  ] as const) {
    await task(page, preset, async (press) => {
      await choose(press, command, `Show ${preset.toLowerCase()}`)
      await expect(page.getByRole('button', { name: new RegExp(`^${preset}`), pressed: true })).toBeVisible()
    })
  }

  await task(page, 'export', async (press) => {
    const path = join(userData, 'list.csv')
    await app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath })
    }, path)
    await choose(press, 'export dep', 'Export deployments')
    const dialog = page.getByRole('dialog', { name: 'Export deployments' })
    await expect(dialog.getByRole('button', { name: 'Export…' })).toBeFocused()
    await press('Enter')
    await expect(dialog).toContainText('Saved')
    expect(await readFile(path, 'utf8')).toContain('\r\n')
    await press('Escape')
  })

  const panel = page.getByRole('complementary', { name: 'Deployment panel' })
  const names = deploymentsTable(page).getByRole('rowheader').getByRole('link')
  // The rollout of what was just created may be over by now.
  const rollingOut = (await names.allTextContents()).find((one) => one !== 'by-keyboard')!
  await task(page, 'follow a rollout', async (press) => {
    await press('/')
    await page.keyboard.type(rollingOut)
    // Without waiting for the result.
    await press('ArrowDown', 'Enter')
    await expect(panel).toContainText(rollingOut)
    await expect(panel).toContainText('rolling out')
  })

  await task(page, 'watch one', async (press) => {
    await press('Control+K')
    await page.keyboard.type('watch')
    await expect(selected(page)).toHaveText('Watch')
    await press('Enter')
    await expect(panel.getByRole('button', { name: 'Watch', pressed: true })).toBeVisible()
  })

  await task(page, 'favourite one', async (press) => {
    await choose(press, 'favourite', 'Favourite')
    await expect(panel.getByRole('button', { name: 'Favourite', pressed: true })).toBeVisible()
  })

  await task(page, 'compare two', async (press) => {
    await press('/', 'Escape')
    await expect(names.nth(1)).toBeVisible()
    await press('ArrowDown', 'Space', 'j', 'Space', 'Control+D')
    await expect(heading(page)).toHaveText('Compare')
    await expect(page.getByRole('table', { name: 'Differences' })).toBeVisible()
  })
  await page.keyboard.press('Alt+ArrowLeft')
  await expect(heading(page)).toHaveText('Deployments')

  await task(page, 'share a view', async (press) => {
    const path = join(userData, 'views.json')
    await app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath })
    }, path)
    await choose(press, 'save view', 'Save view…')
    await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Name' })).toBeFocused()
    await page.keyboard.type('My rollouts')
    await press('Enter')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await choose(press, 'manage views', 'Manage views…')
    const share = page
      .getByRole('dialog', { name: 'Views' })
      .getByRole('button', { name: 'Share My rollouts' })
    await expect(share).toBeVisible()
    await press('Tab', 'Tab', 'Enter')
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toContain('My rollouts')
  })
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await page.keyboard.press('Control+2')
  await expect(heading(page)).toHaveText('Repositories')
  await task(page, 'show a view', async (press) => {
    await choose(press, 'my rollouts', 'My rollouts')
    await expect(heading(page)).toHaveText('Deployments')
    await expect(page.getByRole('combobox', { name: 'View', exact: true })).toHaveValue('My rollouts')
  })
})
