import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ElectronApplication } from '@playwright/test'
import { callBridge, openForm, textbox } from '../support/page/creation'
import { alone, expect, test } from '../support/fixtures'
import { answerQuestions } from '../support/page/questions'
import { json, StubService, useEnvironment } from '../support/services/stub-service'

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

alone(
  'a page whose process ends is reloaded with its draft, and says so; the fourth time in a minute the operator is asked',
  async ({ slipway, page, app }) => {
    slipway.expectErrors(/renderer crashed/)
    const heading = 'main h1'
    await expect(page.getByRole('table', { name: 'Deployments' }).getByRole('rowheader')).not.toHaveCount(0)
    const questions = await answerQuestions(app, 'Reload')

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

    await killPage(app)
    await expect.poll(() => pageText(app, heading)).toBe('Deployments')
    await expect.poll(() => pageText(app, 'table th[scope=row]')).not.toBe('')
    expect(await questions()).toEqual([expect.stringMatching(/^The window stopped working\./)])
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

/** How the application ended. */
const endOf = (app: ElectronApplication): Promise<number | null> =>
  new Promise((resolve) => app.process().once('exit', resolve))

alone('the question about a page that keeps ending offers to quit', async ({ slipway, app }) => {
  slipway.expectErrors(/renderer crashed/)
  await answerQuestions(app, 'Quit')
  const ended = endOf(app)
  for (const time of ['first', 'second', 'third']) {
    await killPage(app)
    await expect.poll(() => pageText(app, 'main h1'), time).toBe('Deployments')
  }
  // The answer may end the application before this call returns.
  await killPage(app).catch(() => undefined)
  expect(await ended).toBe(0)
})

alone('a page cannot prevent the window or the application from closing', async ({ app, page }) => {
  // A page may only object after a click in it.
  await page.getByRole('heading', { level: 1 }).click()
  await page.evaluate(() => {
    window.onbeforeunload = (event) => {
      event.preventDefault()
      return (event.returnValue = 'stay')
    }
  })
  const ended = endOf(app)
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close()).catch(() => undefined)
  expect(await ended).toBe(0)
})

alone('a page that hangs does not keep the application from quitting', async ({ slipway, app, page }) => {
  slipway.expectErrors(/renderer crashed/)
  await page.evaluate(() => {
    window.addEventListener('unload', () => undefined)
    setTimeout(() => {
      for (;;);
    })
  })
  const ended = endOf(app)
  await app.evaluate(({ app: own }) => own.quit()).catch(() => undefined)
  expect(await ended).toBe(0)
})

alone('nothing is created once the application is quitting', async ({ app, page }) => {
  const posted: string[] = []
  const service = await StubService.start((query, response, headers) => {
    if (response.req.method === 'POST') posted.push(response.req.url ?? '')
    json({ resources: [], offset: 0 })(query, response, headers)
  })
  const { id: environmentId } = await useEnvironment(page, { baseUrl: service.baseUrl })
  await expect(page.getByText('No deployments yet')).toBeVisible()
  // A call that the page makes without its form, so that quitting waits for the flush.
  await callBridge(page, 'drafts.list', {})
  const request = {
    name: 'too-late',
    source: 'internal_docker',
    source_config: {},
    source_revision_config: { image_uri: 'registry.example/image:1' },
    secrets: [],
  }
  const ended = endOf(app)
  const answer = await app.evaluate(
    ({ app: own, BrowserWindow }, input) => {
      own.quit()
      return BrowserWindow.getAllWindows()[0]!.webContents.executeJavaScript(
        `slipway.calls['deployments.create']('late', ${JSON.stringify(input)})`,
      ) as Promise<string>
    },
    { environmentId, request, confirmedName: null, again: null },
  )
  expect(JSON.parse(answer)).toMatchObject({ ok: false, failure: { code: 'cancelled', sent: 'no' } })
  expect(await ended).toBe(0)
  expect(posted).toEqual([])
  await service.close()
})

alone(
  'notices about files leave room for the screen, also in the smallest window at 200 %',
  async ({ start, userData }) => {
    for (const name of ['environments.json', 'state.db'])
      for (const day of ['18', '19', '20'])
        await writeFile(join(userData, `${name}.damaged-2026-11-${day}T08-30-00.000Z`), 'unreadable')
    await writeFile(join(userData, 'state.db'), 'damaged '.repeat(1_000))
    const slipway = await start()
    const { app, page } = slipway
    const regions = ['Files that were set aside', "Slipway's data"].map((name) =>
      page.getByRole('region', { name }),
    )
    for (const region of regions) await expect(region).toBeVisible()
    const share = (): Promise<number> =>
      page.evaluate(() => document.querySelector('main')!.getBoundingClientRect().height / innerHeight)
    for (const [width, height] of [
      [1280, 900],
      [900, 600],
    ] as const) {
      await slipway.resize(width, height)
      for (const zoom of [1, 1.5, 2]) {
        await app.evaluate(
          ({ BrowserWindow }, factor) => BrowserWindow.getAllWindows()[0]!.webContents.setZoomFactor(factor),
          zoom,
        )
        await page.waitForFunction((expected) => Math.abs(innerWidth - expected) <= 1, width / zoom)
        expect.soft(await share(), `${width}x${height} at ${zoom * 100} %`).toBeGreaterThan(0.3)
      }
      await app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]!.webContents.setZoomFactor(1),
      )
      await page.waitForFunction((expected) => innerWidth === expected, width)
    }
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.setZoomFactor(2))
    for (const region of regions) {
      await region.getByRole('button', { name: 'Dismiss' }).click({ timeout: 10_000 })
      await expect(region).toHaveCount(0)
    }
  },
)

alone(
  'a window that was left beside the screen, or larger than it, comes back inside it',
  async ({ start, userData }) => {
    const file = join(userData, 'window.json')
    await writeFile(file, '{"x":2552,"y":1432,"width":4000,"height":700,"maximised":false}')
    const { app } = await start()
    const [bounds, area] = await app.evaluate(({ BrowserWindow, screen }) => [
      BrowserWindow.getAllWindows()[0]!.getBounds(),
      screen.getPrimaryDisplay().workArea,
    ])
    expect(bounds).toEqual({ x: 0, y: area!.height - 700, width: area!.width, height: 700 })
  },
)
