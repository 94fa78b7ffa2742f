import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ElectronApplication, Page } from '@playwright/test'
import { call } from './support/bridge'
import { expect, test as base } from './support/fixtures'

/** Each test tries the forbidden thing in the running application; none looks at an option. */
const test = base.extend<{ stranger: { url: string; visits: () => number } }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures out of this pattern
  stranger: async ({}, use) => {
    let visits = 0
    const server = createServer((_request, response) => {
      visits += 1
      response
        .writeHead(200, { 'Content-Type': 'text/html', 'Access-Control-Allow-Origin': '*' })
        .end('stranger')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await use({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      visits: () => visits,
    })
    server.close()
    server.closeAllConnections()
  },
})

/** Runs a script in the page and gives the directives of the policy that it ran against. */
function violations(page: Page, script: string): Promise<string[]> {
  return page.evaluate(async (source) => {
    const found: string[] = []
    const note = (event: SecurityPolicyViolationEvent): unknown => found.push(event.effectiveDirective)
    document.addEventListener('securitypolicyviolation', note)
    // The test's own eval comes from the debugger, which the policy does not concern.
    await (0, eval)(`(async () => { ${source} })()`)
    await new Promise((resolve) => setTimeout(resolve, 300))
    document.removeEventListener('securitypolicyviolation', note)
    return found
  }, script)
}

const windows = (app: ElectronApplication): Promise<string[]> =>
  app.evaluate(({ webContents }) => webContents.getAllWebContents().map((contents) => contents.getURL()))

const home = /^app:\/\/slipway\/index\.html/

test('the page has nothing of Node or Electron, and no bridge but calls and events by name', async ({
  page,
}) => {
  const found = await page.evaluate(() => {
    const global = window as unknown as Record<string, unknown> & {
      slipway: { calls: object; events: object }
    }
    const forbidden = [
      'require',
      'process',
      'module',
      'exports',
      'Buffer',
      'global',
      'ipcRenderer',
      '__dirname',
    ]
    return {
      forbidden: forbidden.filter((name) => global[name] !== undefined),
      bridge: Object.keys(global.slipway).sort(),
      functions: [...Object.keys(global.slipway.calls), ...Object.keys(global.slipway.events)],
    }
  })
  expect(found.forbidden).toEqual([])
  expect(found.bridge).toEqual(['calls', 'cancel', 'events'])
  expect(found.functions.every((name) => /^[a-z]+\.[A-Za-z]+$/.test(name))).toBe(true)
})

test('the page can change neither the bridge nor what others get from it', async ({ page }) => {
  const outcome = await page.evaluate(async () => {
    const bridge = (window as unknown as { slipway: { calls: Record<string, unknown> } }).slipway
    const attempts = [
      () => (bridge.calls['app.state'] = () => 'mine'),
      () => delete bridge.calls['app.state'],
      () => ((window as unknown as Record<string, unknown>)['slipway'] = {}),
    ]
    for (const attempt of attempts) {
      try {
        attempt()
      } catch {
        // Frozen: that is what is asked for.
      }
    }
    const state = bridge.calls['app.state'] as (id: string, input: unknown) => Promise<string>
    return await state('x', {})
  })
  expect(JSON.parse(outcome)).toMatchObject({ ok: true })
})

test('no window opens, no frame and no webview loads, and the page stays where it is', async ({
  page,
  app,
  slipway,
  stranger,
}) => {
  slipway.expectErrors(/Content Security Policy|Not allowed to (load|navigate)|ERR_(BLOCKED|ABORTED)/)
  await page.evaluate((url) => {
    window.open(url)
    window.open('app://slipway/index.html')
    window.open('about:blank')
    for (const target of ['_blank', '_self', '_top']) {
      const link = Object.assign(document.createElement('a'), { href: url, target })
      document.body.append(link)
      link.click()
      link.remove()
    }
    for (const source of [url, 'about:blank', 'app://slipway/index.html', 'data:text/html,x']) {
      document.body.append(Object.assign(document.createElement('iframe'), { src: source }))
    }
    const webview = document.createElement('webview')
    webview.setAttribute('src', url)
    document.body.append(webview)
    const form = Object.assign(document.createElement('form'), { action: url, method: 'post' })
    document.body.append(form)
    form.submit()
    location.href = url
  }, stranger.url)
  await page.waitForTimeout(500)
  expect(page.url()).toMatch(home)
  for (const url of [
    'file:///etc/passwd',
    'app://elsewhere/index.html',
    'app://slipway/assets/',
    'javascript:1',
  ]) {
    await page.evaluate((target) => {
      location.href = target
    }, url)
    await page.waitForTimeout(100)
    expect(page.url(), url).toMatch(home)
  }
  expect(stranger.visits()).toBe(0)
  expect(await windows(app)).toHaveLength(1)
  // Playwright's locators wait for the end of navigations that were denied; its scripts do not.
  expect(await page.evaluate(() => document.querySelector('nav') !== null)).toBe(true)
  expect((await call(page, 'app.state', {})).ok).toBe(true)
})

test('scripts run from the own files only, and the page talks to nobody', async ({
  page,
  slipway,
  stranger,
}) => {
  slipway.expectErrors(/Content Security Policy|Refused to|EvalError|Failed to (load|fetch)/)
  const url = stranger.url
  const own = `globalThis.ran = (globalThis.ran ?? 0) + 1`
  const add = (name: string, members: string, html = ''): string =>
    `const e = document.createElement('${name}'); Object.assign(e, ${members}); e.innerHTML += ${JSON.stringify(html)}; document.body.append(e)`
  for (const [script, directive] of [
    [add('script', `{ textContent: ${JSON.stringify(own)} }`), 'script-src-elem'],
    [add('script', `{ src: '${url}' }`), 'script-src-elem'],
    [add('script', `{ src: 'data:text/javascript,${encodeURIComponent(own)}' }`), 'script-src-elem'],
    [add('div', '{}', `<img src="data:," onerror="${own}">`), 'script-src-attr'],
    [
      `const b = document.createElement('button'); b.setAttribute('onclick', '${own}'); b.click()`,
      'script-src-attr',
    ],
    [`setTimeout('${own}')`, 'script-src'],
    [`fetch('${url}').catch(() => 0)`, 'connect-src'],
    [`fetch('app://slipway/index.html').catch(() => 0)`, 'connect-src'],
    [`const x = new XMLHttpRequest(); x.open('GET', '${url}'); try { x.send() } catch {}`, 'connect-src'],
    [`try { new WebSocket('ws://127.0.0.1:9') } catch {}`, 'connect-src'],
    [`try { new EventSource('${url}') } catch {}`, 'connect-src'],
    [`navigator.sendBeacon('${url}', 'x')`, 'connect-src'],
    [`new Image().src = '${url}'`, 'img-src'],
    [add('div', '{}', '<style>body { display: none }</style>'), 'style-src-elem'],
    [add('div', '{}', '<p style="position: fixed">x</p>'), 'style-src-attr'],
    [add('link', `{ rel: 'stylesheet', href: '${url}' }`), 'style-src-elem'],
    [`new FontFace('x', 'url(${url})').load().catch(() => 0)`, 'font-src'],
    [`new Audio('${url}').load()`, 'media-src'],
    [add('object', `{ data: '${url}' }`), 'object-src'],
    [`try { new Worker('${url}') } catch {}`, 'worker-src'],
    [`try { new Worker('data:text/javascript,1') } catch {}`, 'worker-src'],
    [add('base', `{ href: '${url}' }`), 'base-uri'],
  ] as const) {
    const found = await violations(page, script)
    const blocked = found.includes(directive) || (directive === 'worker-src' && found.length === 0)
    expect.soft(blocked, `${script}: ${found.join(', ')}`).toBe(true)
  }
  const ran = await page.evaluate(() => (globalThis as unknown as { ran?: number }).ran)
  expect(ran).toBeUndefined()
  expect(stranger.visits()).toBe(0)
})

test('the page itself keeps within its policy on every screen', async ({ page, slipway }) => {
  for (const name of ['Repositories', 'New deployment', 'Environments', 'Activity', 'Deployments']) {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  }
  expect(slipway.errors).toEqual([])
})

test('app:// gives its own files to GET, with the policy, and nothing else', async ({ app }) => {
  const ask = (url: string, method = 'GET') =>
    app.evaluate(
      async ({ session }, asked) => {
        try {
          const response = await session.defaultSession.fetch(asked.url, { method: asked.method })
          return {
            status: response.status,
            headers: Object.fromEntries(response.headers),
            text: await response.text(),
          }
        } catch (error) {
          return { status: 0, headers: {}, text: String(error) }
        }
      },
      { url, method },
    )

  const index = await ask('app://slipway/index.html')
  expect(index.status).toBe(200)
  expect(index.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';")
  expect(index.headers['content-security-policy']).not.toContain('unsafe')
  const again = await ask('app://slipway/index.html')
  expect(again.headers['content-security-policy']).not.toBe(index.headers['content-security-policy'])
  expect(index.headers['x-content-type-options']).toBe('nosniff')

  for (const method of ['POST', 'PUT', 'DELETE', 'HEAD']) {
    expect((await ask('app://slipway/index.html', method)).status, method).not.toBe(200)
  }
  for (const url of [
    'app://slipway/../main/index.cjs',
    'app://slipway/..%2fmain%2findex.cjs',
    'app://slipway/%2e%2e%2fmain%2findex.cjs',
    'app://slipway/assets/..%2f..%2fmain/index.cjs',
    'app://slipway/..%5c..%5cpackage.json',
    'app://slipway/%2fetc%2fpasswd',
    'app://slipway/assets',
    'app://elsewhere/index.html',
    'app://slipway.example/index.html',
  ]) {
    const answer = await ask(url)
    expect(answer.status, url).not.toBe(200)
    expect(answer.text, url).not.toContain('require')
  }
})

test('every permission is denied, asked for or looked up', async ({ page }) => {
  const granted = await page.evaluate(async () => {
    const found: string[] = []
    const attempt = async (name: string, ask: () => Promise<unknown>): Promise<void> => {
      const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('late')), 2000))
      await Promise.race([ask(), late]).then(
        (value) => value !== 'denied' && found.push(`${name}: ${String(value)}`),
        () => undefined,
      )
    }
    const state = (name: string) => async () =>
      (await navigator.permissions.query({ name: name as PermissionName })).state
    for (const name of ['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'clipboard-read']) {
      await attempt(name, state(name))
    }
    await attempt('Notification', () => Notification.requestPermission())
    await attempt('media', () => navigator.mediaDevices.getUserMedia({ audio: true, video: true }))
    await attempt('display', () => navigator.mediaDevices.getDisplayMedia())
    await attempt('read clipboard', () => navigator.clipboard.readText())
    await attempt(
      'position',
      () => new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject)),
    )
    return found
  })
  expect(granted).toEqual([])
})

test('calls are answered to the main frame of the own page only, with a refusal that says so', async ({
  app,
  page,
}) => {
  const refused = await app.evaluate(async ({ app: electronApp, BrowserWindow, ipcMain }) => {
    const own = BrowserWindow.getAllWindows()[0]!.webContents
    const preload = `${electronApp.getAppPath()}/out/preload/index.cjs`
    // Another window with the application's own preload: once on its own page, once elsewhere.
    const answers: string[] = []
    for (const url of ['app://slipway/index.html', 'data:text/html,x']) {
      const other = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true } })
      await other.loadURL(url)
      const script = `window.slipway.calls['app.state']('x', {})`
      answers.push((await other.webContents.executeJavaScript(script)) as string)
      other.destroy()
    }
    // The handlers themselves, as a frame inside of the own page, or a page that took its place, would reach them.
    const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, (...args: unknown[]) => unknown> })
      ._invokeHandlers
    for (const senderFrame of [null, { url: 'app://slipway/index.html' }, { url: 'https://evil.example' }]) {
      const event = { sender: own, senderFrame }
      answers.push((await handlers.get('call:app.state')!(event, 'x', {})) as string)
    }
    return answers
  })
  expect(refused).toHaveLength(5)
  for (const text of refused) {
    expect(JSON.parse(text)).toMatchObject({ ok: false, failure: { code: 'not-allowed' } })
    expect(text).not.toContain('Sandbox')
  }
  expect((await call(page, 'app.state', {})).ok).toBe(true)
})

test('a call with an input that the contract does not allow is refused and changes nothing', async ({
  page,
}) => {
  for (const [name, input] of [
    ['app.state', { extra: true }],
    ['app.state', null],
    ['environments.select', { id: 5 }],
    ['environments.save', { name: 'x' }],
    ['deployments.page', { environmentId: 'built-in-cloud', query: { limit: 1000 } }],
    ['deployments.create', { environmentId: 'built-in-cloud', request: { name: '' }, confirmedName: null }],
    ['repositories.list', { environmentId: 'built-in-cloud', integrationId: '../../v2/deployments' }],
    ['journal.list', { limit: -1 }],
    ['clipboard.write', { text: ['x'] }],
  ] as const) {
    const outcome = await call(page, name, input as never)
    expect(outcome, name).toMatchObject({ ok: false, failure: { code: 'invalid-input' } })
    if (!outcome.ok) expect(outcome.failure.issues.length, name).toBeGreaterThan(0)
  }
})

test('only https and mailto links leave the application', async ({ app, page }) => {
  await app.evaluate(({ shell }) => {
    const opened: string[] = []
    Object.assign(globalThis, { opened })
    shell.openExternal = (url) => {
      opened.push(url)
      return Promise.resolve()
    }
  })
  for (const url of [
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://example.com',
    'https://user:word@example.com/',
    'vscode://x',
    'not a link',
  ]) {
    expect(await call(page, 'links.open', { url }), url).toMatchObject({ failure: { code: 'not-allowed' } })
  }
  expect(await call(page, 'links.open', { url: 'https://example.com/a b' })).toMatchObject({ ok: true })
  const opened = await app.evaluate(() => (globalThis as unknown as { opened: string[] }).opened)
  expect(opened).toEqual(['https://example.com/a%20b'])
})

test('a second start shows the first window instead of opening another', async ({ app, page, userData }) => {
  const before = await windows(app)
  const own = await app.evaluate(({ app: electronApp }) => ({
    program: process.execPath,
    folder: electronApp.getAppPath(),
    variables: process.env,
  }))
  const second = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(own.program, ['--no-sandbox', `--user-data-dir=${userData}`, own.folder], {
      env: own.variables,
      stdio: 'ignore',
    })
    child.once('error', reject)
    child.once('exit', resolve)
  })
  expect(second).toBe(0)
  expect(await windows(app)).toEqual(before)
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
})
