import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { call } from '../support/bridge'
import { filesWith } from '../support/files'
import { alone as withOwn, expect, Slipway, test as sharing } from '../support/fixtures'

/*
 * One table: each row tries the forbidden thing in the running application; none checks an option. Rows E1 to E20
 * are the points of Electron's checklist (https://www.electronjs.org/docs/latest/tutorial/security), rows S1 and on
 * Slipway's own. E19 (fuses) and S10 (debug switches) concern the package: packaged.spec.ts tries them.
 */
interface WithStranger {
  /** A server that must not be visited. */
  stranger: { url: string; visits: () => number }
}

const withStranger = {
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures out of this pattern
  stranger: async ({}, use: (stranger: WithStranger['stranger']) => Promise<void>) => {
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
}

const test = sharing.extend<WithStranger>(withStranger)
/** For rows that change the application: each has its own. */
const alone = withOwn.extend<WithStranger>(withStranger)

/**
 * Runs a script in the page until it violates a directive of the policy, for at most 15 seconds. Returns the violated
 * directives.
 */
function violations(page: Page, script: string, directive: string): Promise<string[]> {
  return page.evaluate(
    async ([source, expected]) => {
      const found: string[] = []
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, 15_000)
        document.addEventListener('securitypolicyviolation', function note({ effectiveDirective }) {
          found.push(effectiveDirective)
          if (effectiveDirective !== expected) return
          document.removeEventListener('securitypolicyviolation', note)
          clearTimeout(late)
          resolve()
        })
        // The test's own eval comes from the debugger, which the policy doesn't restrict.
        ;(0, eval)(`(async () => { ${source} })()`)
      })
      return found
    },
    [script, directive] as const,
  )
}

const windows = (app: ElectronApplication): Promise<string[]> =>
  app.evaluate(({ webContents }) => webContents.getAllWebContents().map((contents) => contents.getURL()))

/** Notes what the page's window refuses to load. Returns a function that gives the URLs refused so far. */
async function watchRefusals(app: ElectronApplication): Promise<() => Promise<string[]>> {
  await app.evaluate(({ BrowserWindow }) => {
    const refused: string[] = []
    Object.assign(globalThis, { refused })
    const { webContents } = BrowserWindow.getAllWindows()[0]!
    // After the application's own listeners.
    webContents.on('will-frame-navigate', ({ url, defaultPrevented }) => {
      if (defaultPrevented) refused.push(url)
    })
    webContents.on('did-fail-load', (_event, _code, _description, url) => refused.push(url))
  })
  return () => app.evaluate(() => (globalThis as unknown as { refused: string[] }).refused)
}

const home = /^app:\/\/slipway\/index\.html/

test('E2, E3, E4, E17, E20, S1: the page has nothing but calls by name, which are answered for it alone and checked', async ({
  page,
  app,
}) => {
  await test.step('E2, E20: the page has nothing of Node or Electron, and no bridge but calls and events by name', async () => {
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
    expect(found.functions.every((name) => /^[a-z]+(?:[A-Z][a-z]+)*\.[A-Za-z]+$/.test(name))).toBe(true)
  })
  await test.step('E3: the page can change neither the bridge nor what others get from it', async () => {
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
          // Frozen, as it should be.
        }
      }
      const state = bridge.calls['app.state'] as (id: string, input: unknown) => Promise<string>
      return await state('x', {})
    })
    expect(JSON.parse(outcome)).toMatchObject({ ok: true })
  })
  await test.step('E4: the sandbox leaves nothing of Node even beside the preload', async () => {
    const found = await app.evaluate(({ BrowserWindow }) => {
      const preloadWorld = 999
      const names = `['process', 'Buffer', 'global', 'require', 'setImmediate']`
      return BrowserWindow.getAllWindows()[0]!.webContents.executeJavaScriptInIsolatedWorld(preloadWorld, [
        { code: `${names}.filter((name) => globalThis[name] !== undefined)` },
      ]) as Promise<string[]>
    })
    expect(found).toEqual([])
  })
  await test.step('E17: calls are answered for the main frame of the own page only, and refused with the reason for others', async () => {
    const refused = await app.evaluate(async ({ app: electronApp, BrowserWindow, ipcMain }) => {
      const own = BrowserWindow.getAllWindows()[0]!.webContents
      const preload = `${electronApp.getAppPath()}/out/preload/index.cjs`
      // Another window with the application's own preload: once on its own page, once elsewhere.
      const answers: string[] = []
      for (const url of ['app://slipway/index.html', 'data:text/html,x']) {
        const webPreferences = { preload, sandbox: true, session: own.session }
        const other = new BrowserWindow({ show: false, webPreferences })
        await other.loadURL(url)
        const script = `window.slipway.calls['app.state']('x', {})`
        answers.push((await other.webContents.executeJavaScript(script)) as string)
        other.destroy()
      }
      // Calls the handlers as a frame inside the own page, or a page that replaced it, would.
      const handlers = (
        ipcMain as unknown as { _invokeHandlers: Map<string, (...args: unknown[]) => unknown> }
      )._invokeHandlers
      const state = handlers.get('call:app.state')!
      for (const senderFrame of [
        null,
        { url: 'app://slipway/index.html' },
        { url: 'https://evil.example' },
      ]) {
        answers.push((await state({ sender: own, senderFrame }, 'x', {})) as string)
      }
      const { mainFrame } = own
      Object.defineProperty(mainFrame, 'url', { value: 'https://evil.example/', configurable: true })
      answers.push((await state({ sender: own, senderFrame: mainFrame }, 'x', {})) as string)
      delete (mainFrame as { url?: string }).url
      return answers
    })
    expect(refused).toHaveLength(6)
    for (const text of refused) {
      expect(JSON.parse(text)).toMatchObject({ ok: false, failure: { code: 'not-allowed' } })
      expect(text).not.toContain('Sandbox')
    }
    expect((await call(page, 'app.state', {})).ok).toBe(true)
  })
  await test.step('S1: a call with an input that the contract does not allow is refused and changes nothing', async () => {
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
})

alone(
  'E13, E14, E18, S3: no window opens, no frame loads, no file is read, and the page stays where it is',
  async ({ page, app, slipway, stranger }) => {
    slipway.expectErrors(/Content Security Policy|Not allowed to (load|navigate)|ERR_(BLOCKED|ABORTED)/)
    const refused = await watchRefusals(app)
    const frames = [`${stranger.url}frame`, 'app://slipway/index.html', 'data:text/html,x']
    const last = `${stranger.url}last`
    await page.evaluate(
      ([url, frameUrls, lastUrl]) => {
        window.open(url)
        window.open('app://slipway/index.html')
        window.open('about:blank')
        for (const target of ['_blank', '_self', '_top']) {
          const link = Object.assign(document.createElement('a'), { href: url, target })
          document.body.append(link)
          link.click()
          link.remove()
        }
        for (const source of ['about:blank', ...frameUrls]) {
          document.body.append(Object.assign(document.createElement('iframe'), { src: source }))
        }
        const webview = document.createElement('webview')
        webview.setAttribute('src', url)
        document.body.append(webview)
        const form = Object.assign(document.createElement('form'), { action: url, method: 'post' })
        document.body.append(form)
        form.submit()
        location.href = lastUrl
      },
      [stranger.url, frames, last] as const,
    )
    // The window refuses them in order.
    await expect.poll(refused).toEqual(expect.arrayContaining([...frames, last]))
    expect(page.url()).toMatch(home)
    const goTo = (url: string): Promise<void> =>
      page.evaluate((target) => {
        location.href = target
      }, url)
    for (const url of ['app://elsewhere/index.html', 'app://slipway/assets/']) {
      await goTo(url)
      await expect.poll(refused).toContain(url)
      expect(page.url(), url).toMatch(home)
    }
    await goTo('file:///etc/passwd')
    await expect.poll(() => slipway.errors.join('\n')).toContain('local resource: file:///etc/passwd')
    expect(page.url()).toMatch(home)
    expect(await violations(page, `location.href = 'javascript:1'`, 'script-src-elem')).toContain(
      'script-src-elem',
    )
    expect(page.url()).toMatch(home)
    const form = `const f = document.createElement('form'); Object.assign(f, { action: '${stranger.url}', method: 'post' }); document.body.append(f); f.submit()`
    expect(await violations(page, form, 'form-action')).toContain('form-action')
    expect(stranger.visits()).toBe(0)
    expect(await windows(app)).toHaveLength(1)
    // Playwright's locators wait for denied navigations to end. Its scripts don't.
    expect(await page.evaluate(() => document.querySelector('nav') !== null)).toBe(true)
    expect((await call(page, 'app.state', {})).ok).toBe(true)
  },
)

test('E1, E7: only the own scripts of the application run, and the page cannot send anything', async ({
  page,
  slipway,
  stranger,
}) => {
  slipway.expectErrors(/Content Security Policy|Refused to|EvalError|Failed to (load|fetch)/)
  const url = stranger.url
  const own = `globalThis.ran = (globalThis.ran ?? 0) + 1`
  const add = (name: string, members: string, html = ''): string =>
    `const e = document.createElement('${name}'); Object.assign(e, ${members}); e.innerHTML += ${JSON.stringify(html)}; document.body.append(e)`
  const work = (from: string): string => `try { new Worker(${from}).onmessage = () => { ${own} } } catch {}`
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
    [work(`'data:text/javascript,postMessage(1)'`), 'worker-src'],
    [work(`URL.createObjectURL(new Blob(['postMessage(1)']))`), 'worker-src'],
    [add('base', `{ href: '${url}' }`), 'base-uri'],
  ] as const) {
    const found = await violations(page, script, directive)
    expect.soft(found, script).toContain(directive)
  }
  const ran = await page.evaluate(() => (globalThis as unknown as { ran?: number }).ran)
  expect(ran).toBeUndefined()
  expect(stranger.visits()).toBe(0)
})

test('E5, S2, S6: every permission is denied, and app:// serves only its own files, with the policy', async ({
  app,
  page,
}) => {
  await test.step('S6: app:// serves only its own files, to GET, with the policy', async () => {
    const ask = (url: string, method = 'GET') =>
      app.evaluate(
        async ({ session }, request) => {
          try {
            const response = await session
              .fromPartition('page')
              .fetch(request.url, { method: request.method })
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
      // It exists, and has a type that is served.
      'app://slipway/..%2f..%2fpackage.json',
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
  await test.step('E5, S2: every permission is denied, asked for or looked up', async () => {
    const granted = await page.evaluate(async () => {
      const found: string[] = []
      const attempt = async (name: string, ask: () => Promise<unknown>): Promise<void> => {
        const silence = new Promise((resolve) => setTimeout(resolve, 10_000, 'no answer'))
        await Promise.race([ask(), silence]).then(
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
})

/** Makes the page try every connection that no policy of a page forbids. Ends when each has failed or started. */
async function reachOut(page: Page, listeners: { host: string; udp: number; tcp: number }): Promise<void> {
  await page.evaluate(async ({ host, udp, tcp }) => {
    const link = (rel: string, href: string): void =>
      document.head.append(Object.assign(document.createElement('link'), { rel, href }))
    link('dns-prefetch', 'http://prefetched-name.example.test')
    for (const to of [host, '127.0.0.1']) {
      link('preconnect', `http://${to}:${tcp}`)
      link('prefetch', `http://${to}:${tcp}/prefetch`)
    }
    for (const href of ['mailto:someone@example.com', 'https://linked-name.example.test/']) {
      const anchor = Object.assign(document.createElement('a'), { href, target: '_blank' })
      document.body.append(anchor)
      anchor.click()
      anchor.remove()
    }
    const gathered = async (urls: string[]): Promise<void> => {
      const peer = new RTCPeerConnection({ iceServers: [{ urls, username: 'a', credential: 'b' }] })
      peer.createDataChannel('x')
      const done = new Promise((resolve) => {
        peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve(null)
      })
      await peer.setLocalDescription(await peer.createOffer())
      await done
      peer.close()
    }
    const addresses = [host, '127.0.0.1']
    await Promise.all([
      gathered(addresses.map((to) => `stun:${to}:${udp}`)),
      gathered(addresses.map((to) => `turn:${to}:${tcp}?transport=tcp`)),
    ])
    // A peer that claims the listeners' address.
    const [one, other] = [new RTCPeerConnection(), new RTCPeerConnection()]
    one.createDataChannel('x')
    await one.setLocalDescription(await one.createOffer())
    await other.setRemoteDescription(one.localDescription!)
    await other.setLocalDescription(await other.createAnswer())
    await one.setRemoteDescription(other.localDescription!)
    const candidates = [
      `1 udp 2113937151 ${host} ${udp} typ host`,
      `2 tcp 1518280447 ${host} ${tcp} typ host`,
    ]
    for (const [index, candidate] of candidates.entries()) {
      const type = index === 1 ? ' tcptype passive' : ''
      await one.addIceCandidate({ candidate: `candidate:${index + 1} ${candidate}${type}`, sdpMid: '0' })
    }
    // Only a pause can show this: a connection that can't send may keep checking without an event. One that can does so
    // within the first second.
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    for (const peer of [one, other]) peer.close()
  }, listeners)
}

alone(
  'E15, S5: the page reaches nobody: by no link, no name lookup, no connection and no packet',
  async ({ page, app, slipway, userData }) => {
    slipway.expectErrors(/Content Security Policy|Refused to|ERR_/)
    const heard = { udp: 0, tcp: 0 }
    const udp = createSocket('udp4').on('message', () => (heard.udp += 1))
    await new Promise<void>((resolve) => udp.bind(0, '0.0.0.0', resolve))
    const tcp = createTcpServer((socket) => {
      heard.tcp += 1
      socket.on('error', () => socket.destroy())
    })
    await new Promise<void>((resolve) => tcp.listen(0, '0.0.0.0', resolve))
    // WebRTC leaves out the loopback address if the machine has another.
    const addresses = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
    const host =
      addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1'
    const listeners = { host, udp: udp.address().port, tcp: (tcp.address() as AddressInfo).port }

    const file = join(userData, 'network.json')
    await app.evaluate(async ({ session, shell }, path) => {
      shell.openExternal = () => {
        Object.assign(globalThis, { opened: true })
        return Promise.resolve()
      }
      await session.fromPartition('page').netLog.startLogging(path, { captureMode: 'everything' })
    }, file)
    await reachOut(page, listeners)
    const opened = await app.evaluate(async ({ session }) => {
      // A control: the log shows name lookups.
      await session
        .fromPartition('page')
        .resolveHost('control-name.example.test')
        .catch(() => null)
      await session.fromPartition('page').netLog.stopLogging()
      return (globalThis as { opened?: boolean }).opened
    })
    expect(opened).toBeUndefined()
    const log = readFileSync(file, 'utf8')
    expect(log).toContain('control-name')
    for (const name of ['prefetched-name', 'linked-name']) expect(log, name).not.toContain(name)
    expect(heard).toEqual({ udp: 0, tcp: 0 })

    // A control: without the protection, packets arrive.
    await app.evaluate(async ({ BrowserWindow, session }) => {
      await session.fromPartition('page').setProxy({ mode: 'direct' })
      BrowserWindow.getAllWindows()[0]!.webContents.setWebRTCIPHandlingPolicy('default')
    })
    const again = reachOut(page, listeners).catch(() => undefined)
    await expect.poll(() => heard.udp, { message: 'the listeners listen' }).toBeGreaterThan(0)
    await expect
      .poll(() => heard.tcp, { message: 'the listeners listen', timeout: 60_000 })
      .toBeGreaterThan(0)
    tcp.close()
    udp.close()
    await slipway.close()
    await again
  },
)

test('S9: a second start shows the first window instead of opening another', async ({
  app,
  page,
  userData,
}) => {
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
    // A start that opens a window would not end.
    setTimeout(() => child.kill('SIGKILL'), 40_000).unref()
  })
  expect(second).toBe(0)
  expect(await windows(app)).toEqual(before)
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
})

test('S8, S13, S14: the page downloads nothing, opens no box, and puts nothing on the clipboard itself', async ({
  app,
  page,
  slipway,
}) => {
  await test.step('S13: the page downloads nothing, and opens no dialog to save it', async () => {
    await app.evaluate(({ session }) => {
      const ended: string[] = []
      Object.assign(globalThis, { ended })
      session.fromPartition('page').on('will-download', (event, item) => {
        ended.push(`${item.getFilename()} ${event.defaultPrevented}`)
      })
    })
    await page.evaluate(() => {
      for (const [name, href] of [
        ['blob.txt', URL.createObjectURL(new Blob(['of the page']))],
        ['data.txt', 'data:text/plain,of%20the%20page'],
      ]) {
        const link = document.createElement('a')
        Object.assign(link, { href, download: name })
        link.click()
      }
    })
    const ended = (): Promise<string[]> =>
      app.evaluate(() => (globalThis as unknown as { ended: string[] }).ended)
    await expect.poll(ended).toHaveLength(2)
    expect((await ended()).sort()).toEqual(['blob.txt true', 'data.txt true'])
  })
  await test.step('S14: the page opens neither a message box nor the dialog for printing', async () => {
    slipway.expectErrors(/Ignored call to/)
    const opened: string[] = []
    page.on('dialog', (dialog) => {
      opened.push(dialog.message())
      void dialog.dismiss()
    })
    const answers = await page.evaluate(() => {
      let printed = 0
      addEventListener('beforeprint', () => (printed += 1))
      // Electron has no prompt().
      const returned = [alert('of the page'), confirm('of the page'), print()]
      return { returned, printed }
    })
    expect(answers).toEqual({ returned: [undefined, false, undefined], printed: 0 })
    expect(opened).toEqual([])
  })
  await test.step('S8: the page puts nothing on the clipboard itself; what it copies goes through the main process', async () => {
    const read = () => app.evaluate(({ clipboard }) => clipboard.readText())
    await app.evaluate(({ clipboard }) => clipboard.writeText('before'))
    const state = await page.evaluate(async () => {
      await navigator.clipboard.writeText('by the page').catch(() => undefined)
      return (await navigator.permissions.query({ name: 'clipboard-write' as PermissionName })).state
    })
    // The attempt alone proves nothing: a page without the focus is refused because of that.
    expect(state).toBe('denied')
    expect(await read()).toBe('before')
    expect(await call(page, 'clipboard.write', { text: 'through main' })).toMatchObject({ ok: true })
    expect(await read()).toBe('through main')
  })
})

test('in a window like ours, with the same preferences, other pages cannot do what a page may not', async ({
  app,
  slipway,
  stranger,
}) => {
  await app.evaluate(({ BrowserWindow }) => {
    const own = BrowserWindow.getAllWindows()[0]!.webContents as unknown as {
      getLastWebPreferences: () => Electron.WebPreferences
    }
    const { preload: _preload, ...preferences } = own.getLastWebPreferences()
    Object.assign(globalThis, {
      openLikeOurs: (partition: string, more: Electron.WebPreferences = {}) =>
        new BrowserWindow({ show: false, webPreferences: { ...preferences, partition, ...more } }),
    })
  })
  await test.step('E6: a page reads nothing of another origin that does not allow it', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('private')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const answers = await app.evaluate(
      async (_electron, origins) => {
        const { openLikeOurs } = globalThis as unknown as {
          openLikeOurs: (partition: string) => Electron.BrowserWindow
        }
        const window = openLikeOurs('other-origin')
        await window.loadURL(origins.one)
        const read = (url: string) =>
          window.webContents.executeJavaScript(
            `fetch('${url}').then((answer) => answer.text(), () => 'refused')`,
          ) as Promise<string>
        const texts = [await read(origins.one), await read(origins.other)]
        window.destroy()
        return texts
      },
      { one: `http://127.0.0.1:${port}/`, other: `http://localhost:${port}/` },
    )
    server.closeAllConnections()
    server.close()
    expect(answers).toEqual(['private', 'refused'])
  })

  await test.step('E8: a secure page runs no script that was loaded over plain HTTP', async () => {
    slipway.expectErrors(/Mixed Content/)
    const ran = await app.evaluate(async ({ session }) => {
      const { openLikeOurs } = globalThis as unknown as {
        openLikeOurs: (partition: string) => Electron.BrowserWindow
      }
      const own = session.fromPartition('mixed')
      const page = `<script src="http://clear.example/x.js"></script>`
      own.protocol.handle('https', () => new Response(page, { headers: { 'Content-Type': 'text/html' } }))
      let requests = 0
      own.protocol.handle('http', () => {
        requests += 1
        return new Response('globalThis.ran = true', { headers: { 'Content-Type': 'text/javascript' } })
      })
      const window = openLikeOurs('mixed')
      await window.loadURL('https://secure.example/')
      const result = (await window.webContents.executeJavaScript('globalThis.ran === true')) as boolean
      window.destroy()
      return { result, requests }
    })
    expect(ran).toEqual({ result: false, requests: 0 })
  })

  await test.step('E9, E10: a page has no experimental feature of the engine', async () => {
    const extra = await app.evaluate(async ({ BrowserWindow }) => {
      const { openLikeOurs } = globalThis as unknown as {
        openLikeOurs: (partition: string) => Electron.BrowserWindow
      }
      const namesIn = async (window: Electron.BrowserWindow): Promise<string[]> => {
        await window.loadURL('data:text/html,x')
        const script = `[...Object.getOwnPropertyNames(globalThis), ...Object.getOwnPropertyNames(Navigator.prototype), ...Object.getOwnPropertyNames(Document.prototype)]`
        const names = (await window.webContents.executeJavaScript(script)) as string[]
        window.destroy()
        return names
      }
      const usual = await namesIn(new BrowserWindow({ show: false }))
      const ours = await namesIn(openLikeOurs('features'))
      return { usual: usual.length, more: ours.filter((name) => !usual.includes(name)) }
    })
    expect(extra.usual).toBeGreaterThan(500)
    expect(extra.more).toEqual([])
  })

  await test.step('E11, E12: no webview is created, even if the tag is enabled', async () => {
    const tried = await app.evaluate(async (_electron, url) => {
      const { openLikeOurs } = globalThis as unknown as {
        openLikeOurs: (partition: string, more: Electron.WebPreferences) => Electron.BrowserWindow
      }
      const window = openLikeOurs('webview', { webviewTag: true })
      const attempt = new Promise<boolean>((resolve) => {
        window.webContents.on('will-attach-webview', (event) => resolve(event.defaultPrevented))
      })
      await window.loadURL('data:text/html,x')
      await window.webContents.executeJavaScript(
        `document.body.innerHTML = '<webview src="${url}" allowpopups nodeintegration></webview>'; 0`,
      )
      const prevented = await attempt
      window.destroy()
      return prevented
    }, stranger.url)
    expect(tried).toBe(true)
    expect(stranger.visits()).toBe(0)
  })

  await test.step('S4: no page is redirected elsewhere', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(302, { Location: stranger.url }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const outcome = await app.evaluate(async (_electron, url) => {
      const { openLikeOurs } = globalThis as unknown as {
        openLikeOurs: (partition: string) => Electron.BrowserWindow
      }
      const window = openLikeOurs('redirect')
      const loaded = await window.loadURL(url).then(
        () => 'loaded',
        (error: unknown) => String(error),
      )
      window.destroy()
      return loaded
    }, `http://127.0.0.1:${port}/`)
    server.closeAllConnections()
    server.close()
    expect(outcome).toMatch(/ERR_(ABORTED|FAILED)/)
    expect(stranger.visits()).toBe(0)
  })
})

test('S12: what the page keeps never comes to the disk, and is gone after a restart', async ({
  start,
  userData,
}) => {
  const planted = 'kept-by-the-page'
  const keep = async (text: string): Promise<void> => {
    localStorage.setItem('kept', text)
    sessionStorage.setItem('kept', text)
    await new Promise<void>((resolve, reject) => {
      const opening = indexedDB.open('kept', 1)
      opening.onupgradeneeded = () => opening.result.createObjectStore('all')
      opening.onerror = () => reject(opening.error!)
      opening.onsuccess = () => {
        const writing = opening.result.transaction('all', 'readwrite', { durability: 'strict' })
        writing.objectStore('all').put(text, 'kept')
        writing.oncomplete = () => resolve()
      }
    })
    const folder = await navigator.storage.getDirectory()
    const file = await (await folder.getFileHandle('kept', { create: true })).createWritable()
    await file.write(text)
    await file.close()
    await caches.open('kept')
  }
  const look = async (): Promise<string[]> => {
    const files: string[] = []
    const folder = (await navigator.storage.getDirectory()) as unknown as {
      keys: () => AsyncIterable<string>
    }
    for await (const name of folder.keys()) files.push(name)
    return [
      ...Object.keys(localStorage),
      ...Object.keys(sessionStorage),
      ...(await indexedDB.databases()).map(({ name }) => name ?? ''),
      ...files,
      ...(await caches.keys()),
    ]
  }
  const first = await start()
  await first.page.evaluate(keep, planted)
  expect(await first.page.evaluate(look)).toEqual(Array(5).fill('kept'))
  // A regular quit flushes pending writes.
  await first.close()
  expect(await filesWith(userData, planted)).toEqual([])
  const second = await start()
  expect(await second.page.evaluate(look)).toEqual([])
})

test('S11: a start asks nobody on the Internet for anything, such as dictionaries', async ({
  display,
  keyring,
}) => {
  const requested: string[] = []
  const proxy = createServer((request, response) => {
    requested.push(request.url ?? '')
    response.writeHead(502).end()
  })
  proxy.on('connect', (request, socket) => {
    requested.push(request.url ?? '')
    socket.end('HTTP/1.1 502 No\r\n\r\n')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const own = await mkdtemp(join(tmpdir(), 'slipway-user-data-'))
  const started = await Slipway.start({
    userData: own,
    environment: {
      ...display.environment,
      ...keyring.environment,
      http_proxy: address,
      https_proxy: address,
      no_proxy: '',
    },
  })
  await expect(
    started.page.getByRole('table', { name: 'Deployments' }).getByRole('rowheader'),
  ).not.toHaveCount(0)
  // A control: the proxy is reachable, since a request from the main process gets there. The page's session has none.
  const way = () =>
    started.app.evaluate(({ session }) => {
      const other = session.fromPartition('the-way')
      other.setSpellCheckerLanguages([])
      return other
        .fetch('https://the-way.example/')
        .catch(() => 0)
        .then(() => 0)
    })
  await expect
    .poll(async () => {
      await way()
      return requested.some((url) => url.includes('the-way.example'))
    })
    .toBe(true)
  await started.close()
  proxy.closeAllConnections()
  proxy.close()
  await rm(own, { recursive: true, force: true, maxRetries: 5 })
  expect(requested.filter((url) => !url.includes('the-way.example'))).toEqual([])
})
