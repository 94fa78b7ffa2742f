import type { ElectronApplication, Page } from '@playwright/test'
import { addEnvironment } from '../support/bridge'
import { alone, expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/accessibility'
import { callBridge, openForm, textbox } from '../support/page/creation'
import { openSection } from '../support/page/deployments'
import { answerQuestions } from '../support/page/dialogs'
import { StubService, anyDeployment, listOf } from '../support/services/stub-service'

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

/** Passes a link on as a second start does before it ends. */
const follow = (app: ElectronApplication, link: string): Promise<void> =>
  app.evaluate(({ app: running }, text) => {
    running.emit('second-instance', {}, ['slipway', '--', text], '/')
  }, link)

/** Also behind a dialog, which hides it from screen readers. */
const environmentButton = (page: Page, name: string) =>
  page.getByRole('button', { name: `Environment: ${name}`, exact: true, includeHidden: true })

const namesOf = (index: number): [id: string, name: string] => {
  const { id, name } = anyDeployment(index)
  return [String(id), String(name)]
}

/** A service with some deployments; `methods` are the methods of the requests it got. */
async function serve(): Promise<{ baseUrl: string; methods: string[] }> {
  const all = [0, 1, 2].map(anyDeployment)
  const list = listOf(() => all)
  const methods: string[] = []
  const service = await StubService.start((query, response, headers) => {
    methods.push(response.req.method ?? '')
    list(query, response, headers)
  })
  return { baseUrl: service.baseUrl, methods }
}

test('a copied link opens its deployment, and asks before it switches to another environment', async ({
  slipway,
  page,
  app,
}) => {
  const { baseUrl } = await serve()
  await addEnvironment(page, 'Production süd', baseUrl)
  const navigation = page.getByRole('navigation', { name: 'Main' })
  const [id, name] = namesOf(1)
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('button', { name: 'Copy link' }).click()
  const link = `slipway://Production%20s%C3%BCd/deployments/${id}`
  await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe(link)
  await slipway.resize(900, 600)
  await openSection(page, 'History')
  await page.getByRole('button', { name: 'Copy link' }).click()
  await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe(`${link}/history`)

  await navigation.getByRole('link', { name: 'Environments' }).click()
  await follow(app, `${link}/history`)
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expect(page.getByRole('tabpanel', { name: 'History' })).toBeVisible()
  // Also on a page that is open already.
  await follow(app, `${link}/json`)
  await expect(page.getByRole('tabpanel', { name: 'JSON' })).toBeVisible()
  await follow(app, link)
  await expect(page.getByRole('tabpanel', { name: 'Overview' })).toBeVisible()

  await addEnvironment(page, 'Staging', 'http://127.0.0.1:9')
  await navigation.getByRole('link', { name: 'New deployment' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('typed-in-staging')
  await follow(app, link)
  const dialog = page.getByRole('dialog', { name: 'Open link' })
  await expect(dialog).toContainText('Production süd')
  await expect(environmentButton(page, 'Staging'), 'nothing happens before the answer').toBeVisible()
  await dialog.getByRole('button', { name: 'Dismiss' }).click()
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('typed-in-staging')
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused()
  await expect(environmentButton(page, 'Staging')).toBeVisible()

  await follow(app, link)
  await dialog.getByRole('button', { name: 'Switch and open' }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expect(environmentButton(page, 'Production süd')).toBeVisible()
  await navigation.getByRole('link', { name: 'New deployment' }).click()
  await expect(page.getByRole('textbox', { name: 'Name', exact: true }), 'a draft stays').toHaveValue('')
  await page.getByRole('button', { name: /^Environment: / }).click()
  await page.getByRole('menuitem', { name: 'Staging' }).click()
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('typed-in-staging')
})

test('links are asked about one after another; one to an unknown environment or to nowhere acts on nothing, and no click answers at once', async ({
  slipway,
  page,
  app,
}) => {
  await test.step('a second link waits until the question about the first is answered', async () => {
    const { baseUrl } = await serve()
    for (const name of ['Bravo', 'Hotel', 'Own']) await addEnvironment(page, name, baseUrl)
    const [id] = namesOf(1)
    const dialog = page.getByRole('dialog', { name: 'Open link' })
    const open = dialog.getByRole('button', { name: 'Switch and open' })

    await follow(app, `slipway://Bravo/deployments/${id}`)
    await expect(dialog).toContainText('in another environment, Bravo')
    await expect(open).toBeEnabled()
    await follow(app, `slipway://Hotel/deployments/${id}`)
    await expect(dialog).toContainText('in another environment, Bravo')
    await open.click()
    await expect(environmentButton(page, 'Bravo')).toBeVisible()
    await expect(dialog, 'the other one is asked about after that').toContainText('environment, Hotel')
    await dialog.getByRole('button', { name: 'Dismiss' }).click()
    await expect(dialog).toBeHidden()
    await expect(environmentButton(page, 'Bravo')).toBeVisible()
  })
  await test.step('asks about a link to an unknown environment, and reports one that leads nowhere', async () => {
    const { baseUrl, methods } = await serve()
    await addEnvironment(page, 'Production', baseUrl)
    const [id, name] = namesOf(2)
    await expect(page.getByRole('link', { name, exact: true })).toBeVisible()
    const dialog = page.getByRole('dialog', { name: 'Open link' })

    await follow(app, `slipway://Elsewhere/deployments/${id}`)
    await expect(dialog).toContainText('You have no environment named Elsewhere')
    await expect(dialog.getByRole('button', { name: 'Open' })).toBeDisabled()
    await inspectScreen(slipway, 'app-link-unknown')
    await dialog.getByRole('combobox', { name: 'Open it in' }).click()
    await page.getByRole('option', { name: 'Production' }).click()
    await dialog.getByRole('button', { name: 'Open', exact: true }).click()
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()

    await follow(app, `slipway://Production/deployments/${id}/delete?now=1`)
    await expect(dialog).toContainText("Slipway can't open this link")
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect(dialog).toBeHidden()
    expect(new Set(methods)).toEqual(new Set(['GET']))

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Environments' }).click()
    await page.getByRole('button', { name: 'Add environment' }).click()
    const editing = page.getByRole('dialog', { name: 'Environment', exact: true })
    await editing.getByRole('textbox', { name: 'Name' }).fill('Typed')
    await follow(app, 'slipway://Production/repositories')
    await expect(page.locator('section[aria-label="Link"]')).toContainText('A link wants to open')
    await expect(editing.getByRole('textbox', { name: 'Name' }), 'nothing typed is lost').toHaveValue('Typed')
    await slipway.resize(900, 600)
    await editing.getByRole('button', { name: 'Cancel' }).click()
    await editing.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('button', { name: 'Open link' }).click()
    await expect(page.getByRole('heading', { name: 'Repositories', level: 1 })).toBeVisible()
    await expect(page.locator('section[aria-label="Link"]')).toHaveCount(0)
  })
  await test.step('a click at the moment when the question about a link appears opens nothing', async () => {
    const { baseUrl } = await serve()
    for (const name of ['Charlie', 'Mine']) await addEnvironment(page, name, baseUrl)
    const [id] = namesOf(1)
    // A click dispatched inside the page waits for nothing.
    await page.evaluate(() => {
      new MutationObserver(() => {
        for (const button of document.querySelectorAll<HTMLElement>('[role="dialog"] button'))
          if (button.textContent?.includes('Switch and open')) button.click()
      }).observe(document.body, { childList: true, subtree: true })
    })
    await follow(app, `slipway://Charlie/deployments/${id}`)
    const open = page
      .getByRole('dialog', { name: 'Open link' })
      .getByRole('button', { name: 'Switch and open' })
    await expect(open).toBeEnabled()
    await expect(environmentButton(page, 'Mine')).toBeVisible()
  })
})
