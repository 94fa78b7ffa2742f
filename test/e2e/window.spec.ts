import type { ElectronApplication } from '@playwright/test'
import { callBridge, openForm, textbox } from './support/creation'
import { expect, test } from './support/fixtures'
import { answerQuestions } from './support/questions'

test('every screen comes back after a reload', async ({ page }) => {
  const screens = {
    Deployments: 'Deployments',
    Repositories: 'Repositories',
    'New deployment': 'New deployment',
    Environments: 'Environments',
    Activity: 'Activity',
  }
  const navigation = page.getByRole('navigation', { name: 'Main' })
  const heading = page.getByRole('heading', { level: 1 })
  for (const [link, title] of Object.entries(screens)) {
    await navigation.getByRole('link', { name: link }).click()
    await expect(heading).toHaveText(title)
    await page.reload()
    await expect(heading, link).toHaveText(title)
  }
  await navigation.getByRole('link', { name: 'Deployments' }).click()
  await page.getByRole('table', { name: 'Deployments' }).getByRole('link').first().click()
  await page.waitForURL(/#\/deployments\/./)
  const name = await heading.textContent()
  await page.reload()
  await expect(heading, 'a deployment').toHaveText(name ?? '')
})

/** What the page has, asked by the main process: the test's own handle of a page is void once its process has ended. */
function pageText(app: ElectronApplication, query: string): Promise<string> {
  return app.evaluate(
    ({ BrowserWindow }, asked) =>
      BrowserWindow.getAllWindows()[0]!.webContents.executeJavaScript(
        `[...document.querySelectorAll(${JSON.stringify(asked)})].map((one) => one.value ?? one.textContent).join('|')`,
      ) as Promise<string>,
    query,
  )
}

/** Ends the page's process, as a system that is out of memory does. */
async function killPage(app: ElectronApplication): Promise<void> {
  await app.evaluate(async ({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0]!
    const gone = new Promise((resolve) => webContents.once('render-process-gone', resolve))
    process.kill(webContents.getOSProcessId(), 'SIGKILL')
    await gone
  })
}

test('a page whose process ends is loaded again with its draft, and says so; the fourth time in a minute the user is asked', async ({
  slipway,
  page,
  app,
}) => {
  slipway.expectErrors(/renderer crashed/)
  const heading = 'main h1'
  await expect(page.getByRole('table', { name: 'Deployments' }).getByRole('rowheader')).not.toHaveCount(0)
  const asked = await answerQuestions(app, 'Reload')

  await openForm(page)
  await textbox(page, 'Name').fill('typed-before')
  await expect
    .poll(async () => JSON.stringify(await callBridge(page, 'drafts.list', {})))
    .toContain('typed-before')
  await killPage(app)
  await expect.poll(() => pageText(app, heading)).toBe('New deployment')
  await expect.poll(() => pageText(app, 'main input')).toContain('typed-before')
  await expect.poll(() => pageText(app, 'section[aria-label=Window]')).toContain('loaded it again')

  for (const time of ['second', 'third']) {
    await killPage(app)
    await expect.poll(() => pageText(app, heading), time).toBe('New deployment')
  }
  expect(await asked()).toEqual([])

  await killPage(app)
  await expect.poll(() => pageText(app, heading)).toBe('Deployments')
  await expect.poll(() => pageText(app, 'table th[scope=row]')).not.toBe('')
  expect(await asked()).toEqual([expect.stringMatching(/^The window stopped working\./)])
})

test('who is asked about a page that keeps ending can quit', async ({ slipway, app }) => {
  slipway.expectErrors(/renderer crashed/)
  await answerQuestions(app, 'Quit')
  const ended = new Promise<number | null>((resolve) => app.process().once('exit', resolve))
  for (const time of ['first', 'second', 'third']) {
    await killPage(app)
    await expect.poll(() => pageText(app, 'main h1'), time).toBe('Deployments')
  }
  // The answer may end the application before this call is answered.
  await killPage(app).catch(() => undefined)
  expect(await ended).toBe(0)
})
