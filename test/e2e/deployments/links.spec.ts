import type { ElectronApplication } from '@playwright/test'
import { askDirectly, deploymentsTable } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { answerQuestions } from '../support/page/questions'

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

test('an address opens in the browser exactly as it is shown, once the operator agreed to its host', async ({
  app,
  page,
}) => {
  const opened = await watchBrowser(app)
  const { id, repo_url: url } = (await askDirectly(page)).find(({ repo_url }) => repo_url)!
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(50)
  await page.evaluate((found) => (location.hash = `#/deployments/${found}`), id)
  const link = page.getByRole('link', { name: url! })
  const no = await answerQuestions(app, 'Cancel')
  await link.click()
  await expect.poll(no).toHaveLength(1)
  expect((await no())[0]).toContain(`Open ${new URL(url!).host} in your browser?`)
  expect(await opened()).toEqual([])
  await answerQuestions(app, 'Open')
  // Nothing is asked right after a no.
  await expect(async () => {
    if ((await opened()).length === 0) await link.click()
    expect(await opened()).toEqual([new URL(url!).href])
  }).toPass()
})
