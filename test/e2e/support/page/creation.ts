import { expect, type Locator, type Page } from '@playwright/test'
import type { CallName, DeploymentDetail, DeploymentPage, Outcome } from '@contract'

/** Opens the creation form. */
export async function openForm(page: Page): Promise<Locator> {
  await goTo(page, 'New deployment')
  const form = page.getByRole('form', { name: 'New deployment' })
  await expect(form).toBeVisible()
  return form
}

export const goTo = (page: Page, screen: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: screen }).click()

/** A text field, also one that offers suggestions. */
export const textbox = (page: Page, name: string): Locator =>
  page.getByRole('textbox', { name, exact: true }).or(page.getByRole('combobox', { name, exact: true }))

/** Fills in textboxes by name. */
export async function fill(page: Page, texts: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(texts)) await textbox(page, name).fill(text)
}

/** Adds a secret. Its masked value field has no role. */
export async function addSecret(page: Page, number: number, name: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Add secret', exact: true }).click()
  await textbox(page, `Secret ${number} name`).fill(name)
  await page.getByLabel(`Secret ${number} value`, { exact: true }).fill(value)
}

export const review = (page: Page): Locator => page.getByRole('dialog', { name: 'Review and create' })

export const press = (page: Page, button: string): Promise<void> =>
  page.getByRole('button', { name: button, exact: true }).click()

/** Chooses one of the form's rare actions. */
export async function pressRare(page: Page, action: string): Promise<void> {
  await press(page, 'More actions')
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

/** Sends the form: opens the review and presses the environment's button. */
export async function create(page: Page, environment: string): Promise<void> {
  await press(page, 'Create deployment')
  await review(page)
    .getByRole('button', { name: `Create in ${environment}` })
    .click()
  await expect(review(page)).toHaveCount(0)
}

/** Chooses an environment in the window's switcher. */
export async function switchTo(page: Page, environment: string): Promise<void> {
  await page.getByRole('button', { name: /^Environment: / }).click()
  await page.getByRole('menuitem', { name: environment, exact: true }).click()
  await expect(page.getByRole('button', { name: `Environment: ${environment}` })).toBeVisible()
}

/** Makes a call without the screens, in the current environment unless the input names one. */
export async function callBridge<Value>(page: Page, name: CallName, input: object): Promise<Outcome<Value>> {
  const text = await page.evaluate(
    async ([callName, callInput]) => {
      const state = JSON.parse(await window.slipway.calls['app.state'](`test-${Math.random()}`, {})) as {
        value: { currentEnvironmentId: string }
      }
      const environmentId = state.value.currentEnvironmentId
      return window.slipway.calls[callName](`test-${Math.random()}`, { environmentId, ...callInput })
    },
    [name, input] as const,
  )
  return JSON.parse(text) as Outcome<Value>
}

/** The deployments of exactly this name, as the service has them. */
export async function deploymentsNamed(page: Page, name: string): Promise<DeploymentDetail['deployment'][]> {
  const found = await callBridge<DeploymentPage>(page, 'deployments.page', { query: { name_contains: name } })
  if (!found.ok) throw new Error(found.failure.message)
  const details: DeploymentDetail['deployment'][] = []
  for (const { id } of found.value.deployments.filter((one) => one.name === name)) {
    const detail = await callBridge<DeploymentDetail>(page, 'deployments.get', { id })
    if (!detail.ok) throw new Error(detail.failure.message)
    details.push(detail.value.deployment)
  }
  return details
}
