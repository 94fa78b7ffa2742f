import { sampleIntegrationId } from '@contract'
import { type RunningService, startService } from '../../support/service/service-process'
import { goTo, press, switchTo, textbox } from '../support/page/creation'
import { askDirectly } from '../support/page/deployments'
import { openAdvanced } from '../support/page/environment-dialog'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'

let service: RunningService

test.beforeAll(async () => {
  service = await startService({ mode: 'cloud', sample: 40 })
})

test.afterAll(() => service.dispose())

const nickname = 'Team forge'
const both = `${nickname} (${sampleIntegrationId})`

test('an integration has the nickname of its environment wherever it is shown or picked', async ({
  slipway,
  app,
  page,
}) => {
  await goTo(page, 'Environments')
  await press(page, 'Add environment')
  const dialog = page.getByRole('dialog', { name: 'Environment', exact: true })
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Forged')
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill(service.url)
  const advanced = dialog.getByRole('button', { name: 'Advanced' })
  await expect(advanced).toHaveAttribute('aria-expanded', 'false')
  await expect(dialog.getByRole('radiogroup', { name: 'Proxy' })).toBeHidden()
  await slipway.resize(900, 600)
  await expect(advanced, 'it is in view without scrolling').toBeInViewport({ ratio: 1 })
  await openAdvanced(dialog)
  await dialog.getByRole('button', { name: 'Add integration' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Known integration 1', exact: true })).toBeFocused()
  await page.keyboard.type(sampleIntegrationId)
  await page.keyboard.press('Tab')
  await page.keyboard.type(nickname)
  await inspectScreen(slipway, 'environment-dialog-advanced')
  await slipway.resize(1280, 800)
  await press(page, 'Save')
  await expect(dialog).toBeHidden()

  await switchTo(page, 'Forged')
  await goTo(page, 'Repositories')
  const integration = page.getByRole('combobox', { name: 'Integration ID' })
  // The only known one is selected automatically.
  await expect(integration).toHaveValue(sampleIntegrationId)
  await integration.fill('team')
  await expect(page.getByRole('option', { name: both })).toBeVisible()
  await inspectScreen(slipway, 'repositories-nickname')
  await integration.fill('team forge')
  await page.keyboard.press('Enter')
  await expect(integration).toHaveValue(sampleIntegrationId)
  await expect(integration).toHaveAccessibleDescription(`Nickname: ${nickname}`)
  const deploy = page.getByRole('table', { name: 'Repositories' }).getByRole('button', { name: 'Deploy' })
  await deploy.first().click()
  // The previous screen has a field of the same name.
  await expect(page.getByRole('heading', { name: 'New deployment', level: 1 })).toBeVisible()
  await expect(textbox(page, 'Integration ID')).toHaveValue(sampleIntegrationId)
  await expect(textbox(page, 'Integration ID')).toHaveAccessibleDescription(`Nickname: ${nickname}`)
  await textbox(page, 'Integration ID').fill('forge')
  await expect(page.getByRole('option', { name: both })).toBeVisible()
  await page.getByRole('option', { name: both }).click()
  await expect(page.getByRole('region', { name: 'Request preview' })).toContainText(sampleIntegrationId)

  const deployment = (await askDirectly(page)).find((one) => one.integration_id === sampleIntegrationId)!
  await page.evaluate((id) => {
    location.hash = `#/deployments/${id}`
  }, deployment.id)
  await expect(page.getByText(both)).toBeVisible()
  await inspectScreen(slipway, 'deployment-nickname')
  await press(page, 'Copy integration ID')
  await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe(sampleIntegrationId)

  // Elsewhere, the integration has no such name.
  await switchTo(page, 'Sandbox (cloud)')
  await goTo(page, 'Repositories')
  await expect(integration).toHaveValue(sampleIntegrationId)
  await expect(integration).not.toHaveAccessibleDescription(/Nickname/)
})
