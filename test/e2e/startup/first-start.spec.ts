import { randomBytes } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { builtInEnvironments } from '@contract'
import { deploymentsTable } from '../support/page/deployments'
import { alone as test, expect } from '../support/fixtures'
import { until } from '../support/processes'
import { isRunning, utilityProcesses } from '../support/utility-processes'

test('a newcomer finds two sandboxes with deployments, synced, and an empty journal', async ({ page }) => {
  await test.step('opens on the deployments of the built-in cloud environment', async () => {
    await expect(page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeVisible()
    await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
    await expect(
      page.getByRole('button', { name: `Environment: ${builtInEnvironments.cloud.name}` }),
    ).toBeVisible()
    const bar = page.getByRole('region', { name: 'Current environment' })
    await expect(bar).toContainText(builtInEnvironments.cloud.name)
    await expect(bar).toContainText('Cloud')
    await expect(bar).toContainText('Built-in')
    await expect(page.getByRole('status', { name: 'Connection' })).toHaveText('Online')
    await expect(page.getByRole('contentinfo')).toContainText('50 deployments shown')
    await expect(page).toHaveTitle(/^Deployments · Sandbox \(cloud\)/)
  })
  await test.step('has a second built-in environment, with its own deployments and colour', async () => {
    const { cloud, 'self-hosted': selfHosted } = builtInEnvironments
    const stripe = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--environment-mark'))
    const first = deploymentsTable(page).getByRole('rowheader').first().getByRole('link')
    const cloudName = (await first.textContent()) ?? ''
    const cloudStripe = await stripe()

    await page.getByRole('button', { name: `Environment: ${cloud.name}` }).click()
    await page
      .getByRole('menuitem', { name: selfHosted.name })
      .or(page.getByRole('menuitemradio', { name: selfHosted.name }))
      .click()
    await expect(page.getByRole('button', { name: `Environment: ${selfHosted.name}` })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Current environment' })).toContainText('Self-hosted')
    await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
    await expect(deploymentsTable(page).getByRole('cell', { name: 'External image' })).toHaveCount(50)
    await expect(deploymentsTable(page).getByRole('link', { name: cloudName, exact: true })).toHaveCount(0)
    expect(await stripe()).not.toBe(cloudStripe)
  })
  await test.step('opens every screen, and puts the focus on its heading', async () => {
    const navigation = page.getByRole('navigation', { name: 'Main' })
    for (const name of ['Repositories', 'New deployment', 'Environments', 'Activity', 'Deployments']) {
      await navigation.getByRole('link', { name }).click()
      await expect(page.getByRole('heading', { name, level: 1 })).toBeFocused()
      await expect(navigation.getByRole('link', { name })).toHaveAttribute('aria-current', 'page')
      await expect(page).toHaveTitle(new RegExp(`^${name} · `))
    }
  })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('radio', { name: 'Creations' }).check()
  await expect(page.getByText('The journal has no creations')).toBeVisible()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Board' }).click()
  const columns = page.getByRole('grid', { name: 'Board' }).getByRole('columnheader')
  await expect(columns).toHaveText(['Agent', /Sandbox.*Synced/s, /Sandbox.*Synced/s])
  await expect(page).toHaveTitle(/All environments/)
})

test('says at once why the built-in service cannot start', async ({ start, userData }) => {
  await mkdir(userData, { recursive: true })
  await writeFile(join(userData, 'built-in-service'), 'in the way')
  const { page } = await start()
  const alert = page.getByRole('main').getByRole('alert')
  await expect(alert).toContainText('Reason: it ended with code 1: Cannot keep a database')
})

test('sets the damaged data of a sandbox aside, says so, and starts with new data', async ({
  start,
  userData,
}) => {
  const first = await start()
  await expect(deploymentsTable(first.page).getByRole('rowheader')).not.toHaveCount(0)
  const services = await utilityProcesses(first, 'Slipway built-in service')
  expect(services).toHaveLength(1)
  await first.close()
  // On a busy machine the service ends after the window, and would overwrite the damage.
  await until('the end of the built-in service', () => Promise.resolve(!services.some(isRunning)))
  const folder = join(userData, 'built-in-service', 'cloud')
  for (const name of await readdir(folder)) await writeFile(join(folder, name), randomBytes(50_000))

  const second = await start()
  const { page } = second
  await expect(page.getByText(/The data of Sandbox \(cloud\) was damaged. It was set aside as/)).toBeVisible()
  await page.getByRole('radio', { name: 'Live', exact: true }).check()
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
  const folders = await readdir(join(userData, 'built-in-service'))
  expect(folders.filter((name) => name.startsWith('cloud.damaged-'))).toHaveLength(1)

  // Every later start lists it.
  await second.close()
  const third = await start()
  await expect(third.page.getByRole('region', { name: 'Files that were set aside' })).toContainText(
    'built-in-service/cloud.damaged-',
  )
})
