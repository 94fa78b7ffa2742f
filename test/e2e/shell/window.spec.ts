import type { ElectronApplication } from '@playwright/test'
import { callBridge, openForm, textbox } from '../support/page/creation'
import { alone, expect } from '../support/fixtures'
import { answerQuestions } from '../support/page/dialogs'

/**
 * The page's content, read by the main process: Playwright's handle of a page stops working once its process ended.
 */
function pageText(app: ElectronApplication, query: string): Promise<string> {
  return app.evaluate(
    ({ BrowserWindow }, selector) =>
      BrowserWindow.getAllWindows()[0]!.webContents.executeJavaScript(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.value ?? one.textContent).join('|')`,
      ) as Promise<string>,
    query,
  )
}

/** Kills the page's process, as a system that is out of memory does. */
async function killPage(app: ElectronApplication): Promise<void> {
  await app.evaluate(async ({ BrowserWindow }) => {
    const { webContents } = BrowserWindow.getAllWindows()[0]!
    const gone = new Promise((resolve) => webContents.once('render-process-gone', resolve))
    process.kill(webContents.getOSProcessId(), 'SIGKILL')
    await gone
  })
}

/** How the application ended. */
const endOf = (app: ElectronApplication): Promise<number | null> =>
  new Promise((resolve) => app.process().once('exit', resolve))

alone(
  'a page whose process ends is reloaded with its draft, and says so; the fourth time in a minute, the operator can quit',
  async ({ slipway, page, app }) => {
    slipway.expectErrors(/renderer crashed/)
    const heading = 'main h1'
    await expect(page.getByRole('table', { name: 'Deployments' }).getByRole('rowheader')).not.toHaveCount(0)
    const questions = await answerQuestions(app, 'Quit')

    await openForm(page)
    await textbox(page, 'Name').fill('typed-before')
    await expect
      .poll(async () => JSON.stringify(await callBridge(page, 'drafts.list', {})))
      .toContain('typed-before')
    await killPage(app)
    await expect.poll(() => pageText(app, heading)).toBe('New deployment')
    await expect.poll(() => pageText(app, 'main input')).toContain('typed-before')
    await expect.poll(() => pageText(app, 'section[aria-label=Window]')).toContain('reloaded it')

    for (const time of ['second', 'third']) {
      await killPage(app)
      await expect.poll(() => pageText(app, heading), time).toBe('New deployment')
    }
    expect(await questions()).toEqual([])

    // The answer may end the application before this call returns.
    const ended = endOf(app)
    await killPage(app).catch(() => undefined)
    expect(await ended).toBe(0)
  },
)

alone(
  'a page that hangs can be reloaded from the question about it, with its draft',
  async ({ slipway, page, app }) => {
    alone.slow()
    slipway.expectErrors(/renderer crashed/)
    const questions = await answerQuestions(app, 'Reload')
    await openForm(page)
    await textbox(page, 'Name').fill('typed-before')
    await expect
      .poll(async () => JSON.stringify(await callBridge(page, 'drafts.list', {})))
      .toContain('typed-before')
    await page.evaluate(() => {
      setTimeout(() => {
        for (;;);
      })
    })
    // Running a script in a page that is about to end never returns.
    const reloaded = app.evaluate(
      ({ BrowserWindow }) =>
        new Promise<void>((resolve) => {
          BrowserWindow.getAllWindows()[0]!.webContents.once('did-finish-load', () => resolve())
        }),
    )
    // Chromium emits this after a key that the page doesn't handle, but not while a debugger such as Playwright is
    // attached.
    await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!.webContents.emit('unresponsive'),
    )
    await expect
      .poll(questions, { timeout: 60_000 })
      .toEqual([expect.stringMatching(/^The window isn't responding\.\nWait, or reload it/)])
    await reloaded
    await expect.poll(() => pageText(app, 'main h1')).toBe('New deployment')
    await expect.poll(() => pageText(app, 'main input')).toContain('typed-before')
    await expect.poll(() => pageText(app, 'section[aria-label=Window]')).toContain('reloaded it')
  },
)

alone(
  'neither an objection nor an endless loop of the page keeps the application from quitting',
  async ({ slipway, app, page }) => {
    slipway.expectErrors(/renderer crashed/)
    // A page may only object after a click in it.
    await page.getByRole('heading', { level: 1 }).click()
    await page.evaluate(() => {
      window.onbeforeunload = (event) => {
        event.preventDefault()
        return (event.returnValue = 'stay')
      }
      window.addEventListener('unload', () => undefined)
      setTimeout(() => {
        for (;;);
      })
    })
    const ended = endOf(app)
    await app.evaluate(({ app: own }) => own.quit()).catch(() => undefined)
    expect(await ended).toBe(0)
  },
)
