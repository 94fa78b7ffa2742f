import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { unzipSync } from 'fflate'
import { makeAuthority } from '../../support/main/certificates'
import { call, select } from '../support/bridge'
import { addSecret, create, fill, goTo, openForm, press, textbox } from '../support/page/creation'
import { alone as test, expect, test as sharing } from '../support/fixtures'
import { HttpProxy } from '../../support/services/recording-service'
import { inspectScreen } from '../support/page/accessibility'
import type { Slipway } from '../support/slipway'
import { anyDeployment } from '../support/services/stub-service'

// The most verbose level.
test.use({ variables: { SLIPWAY_LOG_LEVEL: 'debug' } })

/** A unique text with characters that JSON, URLs and base64 write differently. */
const secret = (): string => `s"${randomBytes(12).toString('hex')}\\ +/&=?%${randomBytes(12).toString('hex')}`

/** The forms of a text in a file: unchanged, escaped, encoded, in base64 from any offset, in UTF-16. */
function formsOf(text: string): Buffer[] {
  const base64 = (before: number): string => {
    const all = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]).toString('base64')
    return all.slice(before === 0 ? 0 : 4, -4)
  }
  const forms = [
    text,
    JSON.stringify(text).slice(1, -1),
    JSON.stringify(JSON.stringify(text)).slice(3, -3),
    encodeURIComponent(text),
    encodeURI(text),
    new URLSearchParams({ a: text }).toString().slice(2),
    ...[0, 1, 2].flatMap((before) => [
      base64(before),
      base64(before).replaceAll('+', '-').replaceAll('/', '_'),
    ]),
    // Leaking a part of it counts as well.
    ...(text.match(/[0-9a-f]{24}/g) ?? []),
  ]
  return [...new Set(forms)].flatMap((form) => [Buffer.from(form), Buffer.from(form, 'utf16le')])
}

/** The names of the texts in `wanted` that some content contains in any form. */
function foundIn(content: Uint8Array, wanted: Record<string, string>): string[] {
  const bytes = Buffer.from(content)
  return Object.entries(wanted)
    .filter(([, text]) => formsOf(text).some((form) => bytes.includes(form)))
    .map(([what]) => what)
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : []
  })
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

/** A service that repeats whatever it gets, and has values of secrets in its answers. */
async function startTalkativeService(names: { listed: string; refused: string }, answered: string) {
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { name } = body === '' ? { name: '' } : (JSON.parse(body) as { name: string })
      const secrets = [{ name: 'ANSWERED', value: answered }]
      const answer = (status: number, value: unknown): void => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
      }
      if (request.method === 'GET' && String(request.url).includes('/v1/')) {
        answer(500, { detail: `failed with ${JSON.stringify(request.headers)}` })
      } else if (request.method === 'GET') {
        const isFirst = !/[?&]offset=[1-9]/.test(request.url ?? '')
        answer(200, {
          resources: isFirst ? [{ ...anyDeployment(1), name: names.listed, secrets }] : [],
          offset: 1,
        })
      } else if (name === names.refused) {
        answer(400, { detail: `no: ${body} with ${JSON.stringify(request.headers)}` })
      } else {
        answer(201, {
          ...anyDeployment(2),
          ...(JSON.parse(body) as object),
          created_at: new Date().toISOString(),
        })
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Makes the next "Save" dialog choose a file, or nothing. */
function answerSaveDialog(app: ElectronApplication, filePath: string | null): Promise<void> {
  return app.evaluate(({ dialog }, path) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: path === null, filePath: path ?? '' })
  }, filePath)
}

/** Makes the next "Open" dialog choose a file. */
function answerOpenDialog(app: ElectronApplication, filePath: string): Promise<void> {
  return app.evaluate(({ dialog }, path) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [path] })
  }, filePath)
}

/** Lines from the middle of a text in PEM. */
const insideOf = (pem: string): string => pem.split('\n').slice(2, 4).join('').slice(0, 60)

/** A PEM block that only its header identifies: none of its lines is long enough to look random. */
const blockOf = (text: string): string => `-----BEGIN OPAQUE-----\n${text}\n-----END OPAQUE-----\n`

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Export diagnostics' })

/** Saves the bundle. Returns its files. */
async function saveBundle({ app, page }: Slipway, file: string): Promise<Record<string, Uint8Array>> {
  await answerSaveDialog(app, file)
  await goTo(page, 'Activity')
  await press(page, 'Export diagnostics')
  await dialogOf(page).getByRole('button', { name: 'Save…' }).click()
  await expect(dialogOf(page).getByRole('status')).toContainText('Saved as', { timeout: 30_000 })
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).or(dialogOf(page).getByText('Close')).click()
  return unzipSync(readFileSync(file))
}

test('no secret is in the logs, in any file, in the output or in the diagnostics, and no name of a deployment', async ({
  slipway,
  page,
  app,
  userData,
}, testInfo) => {
  test.slow()
  slipway.expectErrors(/Deliberate|Failed to load resource/)
  const authority = await makeAuthority()
  const secrets = {
    'a header value': `h${randomBytes(12).toString('hex')}"\\ +/&=?%${randomBytes(12).toString('hex')}`,
    'a header value that was only checked': `c${randomBytes(24).toString('hex')}`,
    'a password in a base URL': `p${randomBytes(24).toString('hex')}`,
    'a typed secret': secret(),
    'a pasted secret': `p${randomBytes(24).toString('hex')}`,
    'a secret of a draft': secret(),
    'an answered secret': secret(),
    'a password of a proxy': secret(),
    'a password of a proxy that was only checked': secret(),
    'a secret of an imported request': secret(),
    'a secret of a file that cannot be read': secret(),
    "an authority's certificate": insideOf(authority.pem),
    'a private key that was pasted': insideOf(authority.key),
    'a block that was pasted': Array.from({ length: 4 }, () => randomBytes(6).toString('hex')).join('/'),
    'a token that nobody knew': `T0k${randomBytes(24).toString('base64url')}x`,
  }
  const names = {
    listed: `listed-${randomBytes(8).toString('hex')}`,
    refused: `refused-${randomBytes(8).toString('hex')}`,
    created: `created-${randomBytes(8).toString('hex')}`,
    searched: `searched-${randomBytes(8).toString('hex')}`,
  }
  const service = await startTalkativeService(names, secrets['an answered secret'])

  // Environments: header values, saved and only checked, and a refused base URL with credentials.
  const environment = {
    id: null,
    name: 'Talkative',
    baseUrl: service.url,
    mode: 'cloud' as const,
    colour: 'teal' as const,
    protected: false,
    headers: [{ name: 'X-Marked', value: secrets['a header value'] }],
    integrations: [],
  }
  const checkedValue = secrets['a header value that was only checked']
  const checked = { ...environment, headers: [{ name: 'Authorization', value: `Bearer ${checkedValue}` }] }
  await call(page, 'environments.check', checked)
  const baseUrl = service.url.replace('://', `://someone:${secrets['a password in a base URL']}@`)
  expect(await call(page, 'environments.save', { ...environment, baseUrl })).toMatchObject({ ok: false })
  const saved = await call(page, 'environments.save', environment)
  if (!saved.ok) throw new Error(saved.failure.message)
  const environmentId = saved.value.id
  await select(page, environmentId)

  // An environment with a proxy, its own authority, and a service that repeats what the proxy passes on. A private
  // key in place of the certificate, and a wrong password.
  const userName = 'operator'
  const password = secrets['a password of a proxy']
  const wrong = secrets['a password of a proxy that was only checked']
  const proxy = await HttpProxy.start(Number(new URL(service.url).port), `${userName}:${password}`)
  const proxied = {
    ...environment,
    name: 'Proxied',
    trust: { kind: 'authority' as const, pem: authority.pem },
    proxy: { mode: 'manual' as const, ...proxy.address, credentials: { userName, password } },
  }
  const mistaken = { ...proxied.proxy, credentials: { userName, password: wrong } }
  expect(await call(page, 'environments.check', { ...proxied, proxy: mistaken })).toMatchObject({
    failure: { code: 'proxy' },
  })
  const withKey = authority.key + authority.pem
  expect(await call(page, 'environments.readAuthority', { pem: withKey })).toMatchObject({ ok: false })
  const trustOfKey = { kind: 'authority' as const, pem: withKey }
  expect(await call(page, 'environments.save', { ...proxied, trust: trustOfKey })).toMatchObject({
    ok: false,
  })
  const savedToo = await call(page, 'environments.save', proxied)
  if (!savedToo.ok) throw new Error(savedToo.failure.message)
  await select(page, savedToo.value.id)
  await expect(page.getByRole('link', { name: names.listed })).toBeVisible()
  const anyIntegration = '00000000-0000-4000-8000-00000000beef'
  const repeated = { environmentId: savedToo.value.id, integrationId: anyIntegration }
  expect(await call(page, 'repositories.list', repeated)).toMatchObject({ failure: { status: 500 } })
  expect(proxy.requested.length).toBeGreaterThan(2)
  await select(page, environmentId)

  // A listing, a search, a failing listing, a synchronisation.
  await expect(page.getByRole('link', { name: names.listed })).toBeVisible()
  await textbox(page, 'Search deployments').fill(names.searched)
  await call(page, 'deployments.page', { environmentId, query: { name_contains: names.searched } })
  await call(page, 'repositories.list', { environmentId, integrationId: anyIntegration })
  await call(page, 'sync.start', { environmentId })

  // Files: one that can't be parsed, and one whose request is saved again without its secret.
  const fileOf = (name: string, text: string): string => {
    const path = testInfo.outputPath(name)
    writeFileSync(path, text)
    return path
  }
  const unreadable = `secrets:\n  - value: ${secrets['a secret of a file that cannot be read']}\n  source: [\n`
  const request = {
    name: 'imported',
    source: 'internal_docker',
    source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    secrets: [{ name: 'IMPORTED', value: secrets['a secret of an imported request'] }],
  }
  await openForm(page)
  const preview = page.getByRole('region', { name: 'Request preview' })
  await answerOpenDialog(app, fileOf('unreadable.yaml', unreadable))
  await press(page, 'Import request')
  await expect(preview.getByRole('alert')).toContainText("can't be read")
  await answerOpenDialog(app, fileOf('request.json', JSON.stringify(request)))
  await press(page, 'Import request')
  await expect(textbox(page, 'Name')).toHaveValue('imported')
  const savedAgain = testInfo.outputPath('saved-again.json')
  await answerSaveDialog(app, savedAgain)
  await press(page, 'Save request')
  await expect(preview.getByRole('status')).toContainText("Secret values aren't in the file")

  // A creation with a refusal that repeats everything, and one that succeeds.
  await fill(page, { Name: names.refused })
  await addSecret(page, 2, 'TYPED', secrets['a typed secret'])
  await press(page, 'Paste .env')
  const paste = page.getByRole('dialog', { name: 'Paste .env' })
  await paste.getByRole('textbox', { name: 'Environment file' }).fill(`PASTED=${secrets['a pasted secret']}`)
  await paste.getByRole('button', { name: /^Add / }).click()
  await create(page, 'Talkative')
  await expect(page.getByRole('alert').filter({ hasText: /\(400\).*Service response:/ })).toBeVisible()
  await fill(page, { Name: names.created })
  await create(page, 'Talkative')
  await expect(page.getByRole('status').filter({ hasText: names.created })).toBeVisible()

  // Unsaved input, and uncaught errors with credentials, in the page and in the main process.
  await openForm(page)
  await fill(page, { Name: 'a-draft' })
  await addSecret(page, 1, 'DRAFTED', secrets['a secret of a draft'])
  // The main process can repeat it only once the page has saved it.
  const draftsKept = () => call(page, 'drafts.list', { environmentId })
  await expect.poll(async () => JSON.stringify(await draftsKept())).toContain('DRAFTED')
  // On one line, escaped as in JSON: only the first line of a message is logged.
  const blocks = authority.key + blockOf(secrets['a block that was pasted']) + authority.pem
  const pem = JSON.stringify(blocks).slice(1, -1)
  await page.evaluate((blocks) => {
    setTimeout(() => {
      throw new Error(`Deliberate: ${blocks}`)
    })
  }, pem)
  await app.evaluate(
    (_electron, [token, blocks]) => {
      void Promise.reject(new Error(`Deliberate: sent Authorization: Bearer ${token}`))
      void Promise.reject(new Error(`Deliberate: https://x/?code=${token} https://a:${token}@x/`))
      void Promise.reject(new Error(`Deliberate: ${blocks}`))
    },
    [secrets['a token that nobody knew'], pem] as const,
  )
  const stranger = `${names.listed} and ${names.refused}`
  await app.evaluate((_electron, text) => {
    void Promise.reject(new Error(`Deliberate: "${text}" is taken`))
  }, stranger)

  const file = testInfo.outputPath('diagnostics.zip')
  const bundle = await saveBundle(slipway, file)
  await slipway.close()
  service.close()
  proxy.close()

  // The files exist, and the search finds what is in them.
  const logText = readFileSync(join(userData, 'logs', 'slipway.log'), 'utf8')
  expect(logText.match(/Error: Deliberate/g)?.length).toBe(4)
  expect(logText).toMatch(/WARN {2}http {6}POST \/v2\/deployments .*code=bad-request status=400/)
  expect(logText).toContain(`environment=${environmentId}`)
  expect(Object.keys(bundle)).toEqual(expect.arrayContaining(['summary.json', 'logs/slipway.log']))
  const summary: unknown = JSON.parse(Buffer.from(bundle['summary.json']!).toString())
  expect(summary).toMatchObject({
    keychain: 'available',
    environments: expect.arrayContaining([
      expect.objectContaining({
        id: environmentId,
        host: new URL(service.url).host,
        mode: 'cloud',
        headerNames: ['X-Marked'],
        certificates: 'system',
        proxy: 'system',
      }),
      expect.objectContaining({ id: savedToo.value.id, certificates: 'authority', proxy: 'manual' }),
    ]),
    journal: { 'creation created': 1, 'creation refused': 1 },
  })
  const journal = readFileSync(join(userData, 'state.db'))
  expect(foundIn(journal, { ...secrets, ...names })).toEqual([])

  for (const path of filesBelow(userData)) {
    // The built-in service's own data has them, as any service's would.
    if (path.includes('built-in-service')) continue
    expect.soft(foundIn(readFileSync(path), secrets), path).toEqual([])
  }
  for (const [name, content] of Object.entries({
    ...bundle,
    'the output': Buffer.from(slipway.output),
    'the log': Buffer.from(logText),
    'the bundle as it is': readFileSync(file),
    'the request that was saved': readFileSync(savedAgain),
  })) {
    expect.soft(foundIn(content, { ...secrets, ...names }), name).toEqual([])
  }
})

sharing(
  'shows what the diagnostics contain before they are saved, and the log folder',
  async ({ slipway, page, app, userData }, testInfo) => {
    await app.evaluate(({ shell }) => {
      shell.openPath = (path) => {
        Object.assign(globalThis, { openedPath: path })
        return Promise.resolve('')
      }
    })
    await app.evaluate(({ Menu }) => {
      const help = Menu.getApplicationMenu()!.items.find(({ role }) => role === 'help')!.submenu!
      const item = help.items.find(({ label }) => label === 'Export diagnostics…')!
      ;(item.click as () => void)()
    })
    const dialog = dialogOf(page)
    await expect(dialog.getByRole('region', { name: 'Summary' })).toContainText('"keychain"')
    await expect(dialog.getByRole('list', { name: 'Files' })).toContainText('logs/slipway.log')
    await inspectScreen(slipway, 'diagnostics')

    await dialog.getByRole('button', { name: 'Open log folder' }).click()
    const opened = () => app.evaluate(() => (globalThis as unknown as { openedPath?: string }).openedPath)
    await expect.poll(opened).toBe(join(userData, 'logs'))

    // Cancelling saves nothing. A path where nothing can be saved is reported.
    await answerSaveDialog(app, null)
    await dialog.getByRole('button', { name: 'Save…' }).click()
    await expect(dialog.getByRole('status')).toHaveCount(0)
    await answerSaveDialog(app, join(userData, 'no', 'such', 'folder.zip'))
    await dialog.getByRole('button', { name: 'Save…' }).click()
    await expect(dialog.getByRole('alert')).toContainText("couldn't be saved there")
    const file = testInfo.outputPath('again.zip')
    await answerSaveDialog(app, file)
    await dialog.getByRole('button', { name: 'Save…' }).click()
    await expect(dialog.getByRole('status')).toContainText('Saved as')
    expect(Object.keys(unzipSync(readFileSync(file)))).toContain('summary.json')
  },
)
