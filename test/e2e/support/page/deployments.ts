import { expect, type Locator, type Page } from '@playwright/test'
import type { DeploymentPage, DeploymentSummary, ListFilters, Outcome } from '@contract'

/** The table of the Deployments screen. */
export const deploymentsTable = (page: Page): Locator => page.getByRole('table', { name: 'Deployments' })

/** The sections that a deployment's page has for every service, in the order of their tabs. */
export const sections = ['Overview', 'History', 'Resources', 'JSON'] as const

/** Opens a section of a deployment's page. */
export async function openSection(
  page: Page,
  name: (typeof sections)[number] | 'Revisions' | 'Logs',
): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click()
  await expect(page.getByRole('tabpanel', { name, exact: true })).toBeVisible()
}

/** The names in the table, in order, once nothing is loading. */
export async function shownNames(page: Page): Promise<string[]> {
  await expect(deploymentsTable(page)).toHaveAttribute('aria-busy', 'false')
  return deploymentsTable(page).getByRole('rowheader').getByRole('link').allTextContents()
}

/** Chooses an option of a combobox. Another one's list may still be closing. */
export async function choose(page: Page, combobox: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: combobox, exact: true }).click()
  const list = page.getByRole('listbox', { name: combobox, exact: true })
  await list.getByRole('option', { name: option, exact: true }).click()
}

/** Sets the page size to any number, in the options or not. */
export async function setPageSize(page: Page, size: number): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Page size' })
  await field.fill(String(size))
  await field.press('Enter')
}

/** The deployments that pass filters, requested from the service without the screen. */
export async function askDirectly(page: Page, filters: ListFilters = {}): Promise<DeploymentSummary[]> {
  const all: DeploymentSummary[] = []
  for (let offset: number | null = 0; offset !== null;) {
    const text = await page.evaluate(
      async ([query, id]) => {
        const state = JSON.parse(await window.slipway.calls['app.state'](`${id}-state`, {})) as {
          value: { currentEnvironmentId: string }
        }
        const environmentId = state.value.currentEnvironmentId
        return window.slipway.calls['deployments.page'](id, { environmentId, query })
      },
      [{ ...filters, limit: 100, offset }, `test-${Math.random()}`] as const,
    )
    const outcome = JSON.parse(text) as Outcome<DeploymentPage>
    if (!outcome.ok) throw new Error(outcome.failure.message)
    all.push(...outcome.value.deployments)
    offset = outcome.value.nextOffset
  }
  return all
}

/** Chooses a rare action of the list. */
export async function chooseMore(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
