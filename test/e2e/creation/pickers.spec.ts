import { builtInEnvironments, sampleIntegrationId } from '@contract'
import { fill, goTo, openForm, pressRare, switchTo, textbox } from '../support/page/creation'
import { askDirectly, deploymentsTable } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/screens'

test('repositories, refs, config paths, listeners and namespaces are offered, and anything else can be entered', async ({
  slipway,
  page,
}) => {
  await test.step('integration, repository and ref can be picked, or be anything else', async () => {
    await openForm(page)
    await page.getByRole('combobox', { name: 'Integration ID' }).click()
    await page.getByRole('option', { name: sampleIntegrationId }).click()
    const url = page.getByRole('combobox', { name: 'Repository URL' })
    await url.click()
    const offered = page.getByRole('listbox', { name: 'Repository URL' }).getByRole('option')
    await expect(offered.nth(5)).toBeVisible()
    await inspectScreen(slipway, 'new-deployment-picker')
    await url.pressSequentially('order-copilot')
    await expect(offered.first()).toContainText('order-copilot')
    await offered.first().click()
    await expect(url).toHaveValue(/order-copilot$/)
    const ref = page.getByRole('combobox', { name: 'Git ref' })
    await ref.click()
    await page.getByRole('listbox', { name: 'Git ref' }).getByRole('option').first().click()
    await expect(ref).not.toHaveValue('')

    // Any other value shows in the request while it is typed.
    await fill(page, { 'Git ref': 'feature/x' })
    await expect(page.getByRole('region', { name: 'Request preview' })).toContainText('feature/x')
    await textbox(page, 'Name').focus()
    await expect(ref).toHaveValue('feature/x')
  })
  await goTo(page, 'Deployments')
  await test.step('the config path of another deployment of the repository is offered, and any other can be entered', async () => {
    await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
    const known = (await askDirectly(page)).find(({ source }) => source === 'repohost')!
    await openForm(page)
    await pressRare(page, 'New draft')
    await fill(page, { 'Repository URL': known.repo_url! })
    const path = page.getByRole('textbox', { name: 'Config path' })
    await path.focus()
    const use = page.getByRole('button', { name: /^Use / })
    await expect(use).toBeVisible()
    await expect(page.getByRole('listbox')).toHaveCount(0)
    await inspectScreen(slipway, 'new-deployment-config-path')
    const offered = (await use.textContent())!.trim().replace(/^Use\s/, '')
    await use.click()
    await expect(path).toHaveValue(offered)
    await expect(path).toBeFocused()
    await expect(use).toHaveCount(0)
    await path.fill('elsewhere/agent.json')
    await expect(page.getByRole('region', { name: 'Request preview' })).toContainText('elsewhere/agent.json')
  })
  await goTo(page, 'Deployments')
  await test.step('listener and namespace of other deployments are offered, and any other can be entered', async () => {
    await switchTo(page, builtInEnvironments['self-hosted'].name)
    await expect(deploymentsTable(page).getByRole('rowheader').first()).toBeVisible()
    await openForm(page)
    const listener = page.getByRole('textbox', { name: 'Listener ID' })
    await listener.focus()
    const use = page.getByRole('button', { name: /^Use one of / })
    await expect(use.first()).toBeVisible()
    await inspectScreen(slipway, 'new-deployment-listener')
    await use.first().click()
    const offered = page.getByRole('menu', { name: 'Listener ID' }).getByRole('menuitem')
    await expect(offered.nth(1)).toBeVisible()
    const chosen = (await offered.first().textContent())!.trim()
    await page.keyboard.press('Enter')
    await expect(listener).toHaveValue(chosen)
    await expect(listener).toBeFocused()
    await listener.fill('another')
    await expect(page.getByRole('region', { name: 'Request preview' })).toContainText('another')
  })
})
