import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { sampleIntegrationId } from '@contract'
import { addEnvironment, select, synchroniseNever } from '../support/bridge'
import { goTo } from '../support/page/creation'
import { askDirectly, deploymentsTable } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { showIn } from '../support/page/look'
import { screenshotFolder, type Slipway } from '../support/slipway'

// Screenshots of the main screens for people to look at, in a large window, in the smallest one, and at 150 %.
// inspectScreen takes the usual sizes. They take a minute, so they are opt-in.
test.skip(!process.env.SLIPWAY_PICTURES, 'SLIPWAY_PICTURES=1 takes pictures of more window sizes.')
test.describe.configure({ timeout: 300_000 })

const looks = [
  { width: 2560, height: 1440, zoom: 1 },
  { width: 1920, height: 1080, zoom: 1.5 },
  { width: 1280, height: 800, zoom: 1.5 },
  { width: 900, height: 600, zoom: 1 },
] as const

/** Takes all pictures of the screen in view. */
async function take(slipway: Slipway, name: string): Promise<void> {
  const { app, page } = slipway
  const zoomTo = async (zoom: number, width: number): Promise<void> => {
    await app.evaluate(
      ({ BrowserWindow }, factor) => BrowserWindow.getAllWindows()[0]!.webContents.setZoomFactor(factor),
      zoom,
    )
    await page.waitForFunction((expected) => Math.abs(innerWidth - expected) <= 1, width / zoom)
  }
  await mkdir(screenshotFolder, { recursive: true })
  await page.mouse.move(0, 0)
  for (const { width, height, zoom } of looks) {
    await slipway.resize(width, height)
    await zoomTo(zoom, width)
    for (const colorScheme of ['dark', 'light'] as const) {
      await showIn(page, { colorScheme })
      const size = `${width}x${height}${zoom === 1 ? '' : `-${zoom * 100}`}`
      // Playwright's own screenshots are cut off while the page is zoomed. These show what was painted last.
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      )
      const picture = await app.evaluate(async ({ BrowserWindow }) =>
        (await BrowserWindow.getAllWindows()[0]!.webContents.capturePage()).toPNG().toString('base64'),
      )
      const path = join(screenshotFolder, `${name}-${colorScheme}-${size}.png`)
      await writeFile(path, Buffer.from(picture, 'base64'))
    }
    await zoomTo(1, width)
  }
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

test('the main screens', async ({ slipway, page }) => {
  const builtIn = await synchroniseNever(page)
  await expect(deploymentsTable(page).getByRole('rowheader').nth(20)).toBeVisible()
  await take(slipway, 'deployments')

  const deployment = (await askDirectly(page)).find(({ source }) => source === 'repohost')!
  await page.evaluate((id) => {
    location.hash = `#/deployments/${id}`
  }, deployment.id)
  await expect(heading(page, deployment.name)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Latest revision' })).toBeVisible()
  await take(slipway, 'deployment')

  await goTo(page, 'Repositories')
  await page.getByRole('combobox', { name: 'Integration ID' }).fill(sampleIntegrationId)
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'List repositories' }).click()
  await expect(page.getByRole('table', { name: 'Repositories' }).getByRole('row').nth(5)).toBeVisible()
  await take(slipway, 'repositories')

  await goTo(page, 'New deployment')
  await expect(page.getByRole('form', { name: 'New deployment' })).toBeVisible()
  await take(slipway, 'new-deployment')
  await page.getByRole('button', { name: 'Create deployment' }).click()
  await take(slipway, 'new-deployment-errors')

  for (const name of ['Production EU', 'Staging'])
    await addEnvironment(page, name, `http://127.0.0.1:1/${name}`)
  await goTo(page, 'Deployments')
  await expect(page.getByRole('alert')).toBeVisible()
  await select(page, builtIn)
  await goTo(page, 'Environments')
  await expect(page.getByRole('row', { name: /Staging/ })).toBeVisible()
  await take(slipway, 'environments')

  await goTo(page, 'Activity')
  await expect(page.getByRole('table', { name: 'Activity' }).getByRole('row').nth(1)).toBeVisible()
  await take(slipway, 'activity')
})
