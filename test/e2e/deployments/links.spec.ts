import type { ElectronApplication } from '@playwright/test'
import { askDirectly, deploymentsTable } from '../support/page/deployments'
import { alone as test, expect } from '../support/fixtures'
import { answerQuestions } from '../support/page/questions'
import { inspectScreen } from '../support/page/screens'

/** Replaces the system's browser. Returns a function that gives the URLs it was asked to open. */
async function watchBrowser(app: ElectronApplication): Promise<() => Promise<string[]>> {
  await app.evaluate(({ shell }) => {
    const opened: string[] = []
    Object.assign(globalThis, { opened })
    shell.openExternal = (url) => {
      opened.push(url)
      return Promise.resolve()
    }
  })
  return () => app.evaluate(() => (globalThis as unknown as { opened: string[] }).opened)
}

test('an address opens in the browser once the operator agreed to its host', async ({
  slipway,
  app,
  page,
}) => {
  const opened = await watchBrowser(app)
  const deployment = (await askDirectly(page)).find(({ repo_url }) => repo_url)!
  const url = deployment.repo_url!
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
  await page.evaluate((id) => (location.hash = `#/deployments/${id}`), deployment.id)
  const link = page.getByRole('link', { name: url })
  const no = await answerQuestions(app, 'Cancel')
  await link.click()
  await expect.poll(no).toHaveLength(1)
  expect((await no())[0]).toContain(`Open ${new URL(url).host} in your browser?`)
  expect(await opened()).toEqual([])
  await inspectScreen(slipway, 'deployment-links')
})

test('an address that the operator agreed to is opened exactly as it is shown', async ({ app, page }) => {
  const opened = await watchBrowser(app)
  const deployment = (await askDirectly(page)).find(({ repo_url }) => repo_url)!
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
  await page.evaluate((id) => (location.hash = `#/deployments/${id}`), deployment.id)
  await answerQuestions(app, 'Open')
  await page.getByRole('link', { name: deployment.repo_url! }).click()
  await expect.poll(opened).toEqual([new URL(deployment.repo_url!).href])
})
