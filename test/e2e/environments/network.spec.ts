import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import type { CallInput } from '@contract'
import { makeAuthority, makeSelfSigned } from '../../support/main/certificates'
import { addEnvironment, call } from '../support/bridge'
import { answerQuestions, openAdvanced } from '../support/page/dialogs'
import { alone, expect, test as base } from '../support/fixtures'
import { HttpProxy, RecordingService } from '../../support/services/recording-service'
import { inspectScreen } from '../support/page/accessibility'
import { json, StubService } from '../support/services/stub-service'

const test = base.extend<{ refusals: void }>({
  // Chromium logs refused requests to the console.
  refusals: [
    async ({ slipway }, use) => {
      slipway.expectErrors(/Failed to load resource/)
      await use()
    },
    { auto: true },
  ],
})

const password = 'pr0xy-pass-that-nobody-may-see'

async function openNew(page: Page, url: string): Promise<Locator> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Environments' }).click()
  await page.getByRole('button', { name: 'Add environment' }).click()
  const dialog = page.getByRole('dialog', { name: 'Environment', exact: true })
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Behind a wall')
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill(url)
  return dialog
}

const draft = (baseUrl: string, more: Partial<CallInput<'environments.check'>>) => ({
  id: null,
  name: 'Draft',
  baseUrl,
  mode: 'cloud' as const,
  colour: 'teal' as const,
  protected: false,
  headers: [],
  integrations: [],
  ...more,
})

test('accepts what a private authority has issued, for its host and in its time, and nothing else', async ({
  slipway,
  app,
  page,
  userData,
}) => {
  const authority = await makeAuthority({ name: 'Example authority' })
  const stranger = await makeAuthority({ name: 'Somebody else' })
  const service = await RecordingService.start(await authority.issue())
  const baseUrl = `https://localhost:${service.port}`
  const dialog = await openNew(page, baseUrl)
  const check = dialog.getByRole('button', { name: 'Check connection' })
  await check.click()
  await expect(dialog.getByRole('alert')).toContainText("isn't trusted (ERR_CERT_AUTHORITY_INVALID)")

  await openAdvanced(dialog)
  await dialog.getByText('Private CA', { exact: true }).click()
  const pem = dialog.getByRole('textbox', { name: 'CA certificate (PEM)' })
  await pem.fill((await stranger.issue()).pem)
  await expect(pem).toHaveAccessibleDescription(/isn't a CA certificate/)
  await pem.fill(stranger.pem)
  await expect(dialog.getByRole('group', { name: 'CA certificate' })).toContainText(stranger.fingerprint)
  await check.click()
  await expect(dialog.getByRole('alert')).toContainText("wasn't issued by this environment's private CA")
  expect(service.arrived, 'nothing is sent to a service that is not trusted').toEqual([])

  await dialog.getByRole('button', { name: 'Use another CA' }).click()
  const file = join(userData, 'authority.pem')
  await writeFile(file, authority.pem)
  await app.evaluate((electron, path) => {
    electron.dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [path] })
  }, file)
  await dialog.getByRole('button', { name: 'Choose file' }).click()
  await expect(dialog.getByRole('group', { name: 'CA certificate' })).toContainText(authority.fingerprint)
  await check.click()
  await expect(dialog.getByRole('status')).toContainText('no deployments')
  await inspectScreen(slipway, 'certificate-authority')

  const trust = { kind: 'authority' as const, pem: authority.pem }
  const yesterday = new Date(Date.now() - 86_400_000)
  for (const [certificate, words] of [
    [await authority.issue({ hosts: [{ type: 'dns', value: 'example.com' }] }), "isn't for the host name"],
    [await authority.issue({ notAfter: yesterday }), 'expired'],
    [await makeSelfSigned(), "wasn't issued"],
  ] as const) {
    service.use(certificate)
    const found = await call(page, 'environments.check', draft(baseUrl, { trust }))
    expect(found.ok ? '' : found.failure.message).toContain(words)
  }
  const byAddress = await call(page, 'environments.check', draft(`https://127.0.0.1:${service.port}`, {}))
  expect(byAddress, 'another draft trusts nothing of it').toMatchObject({ failure: { code: 'certificate' } })
  service.close()

  // No client certificate is sent.
  const curious = await RecordingService.start(await authority.issue(), true)
  expect(
    await call(page, 'environments.check', draft(`https://localhost:${curious.port}`, { trust })),
  ).toMatchObject({
    failure: { code: 'certificate', message: expect.stringContaining('client certificate') as unknown },
  })
  expect(curious.arrived).toEqual([])
  curious.close()
})

test('asks to trust an exact certificate outside the page, keeps it, and shows another one as a change', async ({
  slipway,
  page,
  start,
}) => {
  const first = await makeSelfSigned({ name: 'Staging' })
  const second = await makeSelfSigned({ name: 'Staging' })
  const service = await RecordingService.start(first)
  await addEnvironment(page, 'Staging', `https://localhost:${service.port}`)
  await expect(page.getByRole('alert')).toContainText("isn't trusted")
  await page.getByRole('alert').getByRole('button', { name: 'Show certificate' }).click()
  const untrusted = page.getByRole('dialog', { name: 'Untrusted certificate' })
  await expect(untrusted.getByRole('group', { name: 'Shown by the service' })).toContainText(
    first.fingerprint,
  )
  await inspectScreen(slipway, 'certificate-untrusted')
  const trustButton = untrusted.getByRole('button', { name: 'Trust this certificate' })
  let questions = await answerQuestions(slipway.app, 'Cancel')
  await trustButton.click()
  await expect.poll(questions).toHaveLength(1)
  const [question] = await questions()
  expect(question).toContain(`https://localhost:${service.port}`)
  expect(question?.replaceAll('\n', ':')).toContain(first.fingerprint)
  await expect(untrusted, 'nothing is said of what one decided oneself').toBeVisible()
  await expect(untrusted.getByRole('alert')).toHaveCount(0)
  expect(service.arrived).toEqual([])
  await answerQuestions(slipway.app, 'Trust certificate')
  await trustButton.click()
  await expect(untrusted.getByRole('alert'), 'nothing is asked right after a no').toContainText(
    'just declined',
  )
  await expect(async () => {
    if (await trustButton.isVisible()) await trustButton.click()
    await expect(page.getByText('No deployments yet')).toBeVisible({ timeout: 1_000 })
  }).toPass({ timeout: 60_000 })
  await slipway.close()

  const again = await start()
  again.expectErrors(/Failed to load resource/)
  await expect(again.page.getByText('No deployments yet')).toBeVisible()
  service.use(second)
  service.arrived.length = 0
  await again.page.getByRole('button', { name: 'Refresh' }).click()
  const alert = again.page.getByRole('alert')
  await expect(alert).toContainText('a different certificate than the trusted one')
  await alert.getByRole('button', { name: 'Show certificate' }).click()
  const changed = again.page.getByRole('dialog', { name: 'Changed certificate' })
  await expect(changed.getByRole('group', { name: 'Trusted so far' })).toContainText(first.fingerprint)
  await expect(changed.getByRole('group', { name: 'Shown now' })).toContainText(second.fingerprint)
  await changed.getByRole('button', { name: 'Cancel' }).click()
  await alert.getByRole('button', { name: 'Retry' }).click()
  await expect(alert).toContainText('a different certificate')
  expect(service.arrived, 'refused until it is accepted').toEqual([])
  await alert.getByRole('button', { name: 'Show certificate' }).click()
  questions = await answerQuestions(again.app, 'Trust certificate')
  await changed.getByRole('button', { name: 'Trust the new certificate' }).click()
  await expect(again.page.getByText('No deployments yet')).toBeVisible()
  const [renewal] = await questions()
  for (const { fingerprint } of [first, second]) {
    expect(renewal?.replaceAll('\n', ':')).toContain(fingerprint)
  }
  service.close()
})

test('sends a stored header value and password only where, how and through what they were entered for', async ({
  slipway,
  page,
}) => {
  const authority = await makeAuthority()
  const certificate = await makeSelfSigned()
  const plain = await RecordingService.start()
  const proxy = await HttpProxy.start(plain.port)
  const tls = await RecordingService.start(certificate)
  const secret = 'a-key-that-was-entered-for-one-service'
  const questions = await answerQuestions(slipway.app, 'Cancel')
  const headers = [{ name: 'X-Api-Key', value: secret }]
  const { host, port } = proxy.address

  const add = async (name: string, baseUrl: string, more: Partial<CallInput<'environments.save'>> = {}) => {
    const saved = await call(page, 'environments.save', { ...draft(baseUrl, { headers, ...more }), name })
    if (!saved.ok) throw new Error(JSON.stringify(saved.failure))
    return saved.value.id
  }
  const address = `http://127.0.0.1:${plain.port}`
  const here = await add('Plain', address)
  const there = await add('Over TLS', `https://localhost:${tls.port}`)

  // Only the operator may trust a refused certificate.
  await call(page, 'environments.select', { id: there })
  const query = { limit: 20, offset: 0 }
  const refused = await call(page, 'deployments.page', { environmentId: there, query })
  if (refused.ok || !refused.failure.certificate?.id) throw new Error(JSON.stringify(refused))
  const refusalId = refused.failure.certificate.id
  expect(await call(page, 'environments.trust', { id: there, refusalId })).toMatchObject({
    failure: { code: 'cancelled' },
  })
  expect(await questions()).toHaveLength(1)
  const brought = refused.failure.certificate.certificate
  expect(await call(page, 'environments.trust', { id: there, certificate: brought } as never)).toMatchObject({
    failure: { code: 'invalid-input' },
  })

  const storedHeaders = [{ name: 'x-api-key', value: null }]
  const exact = { kind: 'exact' as const, refusalId }
  const attacks: [string, string, Partial<CallInput<'environments.save'>>][] = [
    [here, address, { proxy: { mode: 'manual', host, port, credentials: null } }],
    [
      here,
      address,
      {
        proxy: { mode: 'pac-text', text: `function FindProxyForURL() { return "PROXY ${host}:${port}" }` },
      },
    ],
    [here, address, { proxy: { mode: 'none' } }],
    [here, `http://localhost:${plain.port}`, {}],
    [here, `http://${host}:${port}`, {}],
    [here, address, { trust: { kind: 'authority', pem: authority.pem } }],
    [there, `https://localhost:${tls.port}`, { trust: exact }],
    [there, `https://localhost:${tls.port}`, { trust: { kind: 'exact', certificate: brought } as never }],
    [there, `https://localhost.:${tls.port}`, {}],
    [there, address, {}],
  ]
  for (const [id, baseUrl, more] of attacks) {
    const input = { ...draft(baseUrl, { headers: storedHeaders, ...more }), id, name: 'Taken over' }
    for (const name of ['environments.check', 'environments.save'] as const) {
      const outcome = await call(page, name, input)
      expect(outcome, `${name} ${baseUrl} ${JSON.stringify(more)}`).toMatchObject({
        failure: { code: 'invalid-input' },
      })
    }
    await call(page, 'deployments.page', { environmentId: there, query })
  }
  expect(proxy.requested).toEqual([])
  expect(tls.arrived).toEqual([])
  expect(plain.headers).toEqual([])
  const used = await call(page, 'environments.check', {
    ...draft(address, { headers: storedHeaders }),
    id: here,
  })
  expect(used).toMatchObject({ ok: true })
  expect(plain.headers[0]?.['x-api-key'], 'it is there all the while').toBe(secret)
  for (const server of [proxy, tls, plain]) server.close()
})

test('asks in the dialog, at the field, for what has to be entered again for another proxy', async ({
  page,
}) => {
  const plain = await RecordingService.start()
  const proxy = await HttpProxy.start(plain.port)
  await addEnvironment(page, 'Over a proxy', `http://127.0.0.1:${plain.port}`)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Environments' }).click()
  await page
    .getByRole('row')
    .filter({ hasText: 'Over a proxy' })
    .getByRole('button', { name: 'Edit' })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Environment', exact: true })
  await openAdvanced(dialog)
  await dialog.getByText('Manual', { exact: true }).click()
  await dialog.getByRole('textbox', { name: 'Proxy host' }).fill(proxy.address.host)
  await dialog.getByRole('textbox', { name: 'Proxy port' }).fill(String(proxy.address.port))
  const value = dialog.getByLabel('Header value')
  for (const name of ['Check connection', 'Save']) {
    await dialog.getByRole('button', { name, exact: true }).click()
    await expect(value).toHaveAccessibleDescription(
      /Enter the value again: requests now go through another proxy/,
    )
    await expect(value).toBeFocused()
  }
  await expect(dialog.getByText('Stored; leave empty to keep.'), 'it cannot be kept').toHaveCount(0)
  await expect(dialog.getByRole('button', { name: 'Keep stored' })).toHaveCount(0)
  expect(proxy.requested).toEqual([])
  await value.fill('entered-again')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
  await expect.poll(() => plain.headers.at(-1)?.['x-api-key']).toBe('entered-again')
  for (const server of [proxy, plain]) server.close()
})

test('goes through the proxy of the environment, whose password never comes back to the page, or through none', async ({
  page,
}) => {
  const authority = await makeAuthority()
  const plain = await StubService.start(json({ resources: [], offset: 0 }))
  const service = await RecordingService.start(
    await authority.issue({ hosts: [{ type: 'dns', value: 'deploy.example.test' }] }),
  )
  const guarded = await HttpProxy.start(service.port, `ann:${password}`)
  const open = await HttpProxy.start(Number(new URL(plain.baseUrl).port))

  const dialog = await openNew(page, 'https://deploy.example.test')
  await openAdvanced(dialog)
  await dialog.getByText('Private CA', { exact: true }).click()
  await dialog.getByRole('textbox', { name: 'CA certificate (PEM)' }).fill(authority.pem)
  await dialog.getByText('Manual', { exact: true }).click()
  await dialog.getByRole('textbox', { name: 'Proxy host' }).fill(guarded.address.host)
  await dialog.getByRole('textbox', { name: 'Proxy port' }).fill('none')
  await dialog.getByRole('textbox', { name: 'Proxy user name' }).fill('ann')
  await dialog.getByLabel('Proxy password').fill('wrong')
  const check = dialog.getByRole('button', { name: 'Check connection' })
  // An error opens the part of the dialog that it is in.
  await dialog.getByRole('button', { name: 'Advanced' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Proxy port' })).toBeHidden()
  await check.click()
  await expect(dialog.getByRole('textbox', { name: 'Proxy port' })).toBeFocused()
  await expect(dialog.getByRole('textbox', { name: 'Proxy port' })).toHaveAccessibleDescription(/1 to 65535/)
  await dialog.getByRole('textbox', { name: 'Proxy port' }).fill(String(guarded.address.port))
  await check.click()
  await expect(dialog.getByRole('alert')).toContainText('The proxy requires a valid user name')
  expect(guarded.refusals, 'asked without credentials and with the wrong ones, and not again').toBe(2)
  await dialog.getByLabel('Proxy password').fill(password)
  await check.click()
  await expect(dialog.getByRole('status')).toContainText('no deployments')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()

  await page
    .getByRole('row')
    .filter({ hasText: 'Behind a wall' })
    .getByRole('button', { name: 'Edit' })
    .click()
  await expect(dialog).toContainText('Password stored')
  await check.click()
  await expect(dialog.getByRole('status'), 'the stored password is used').toContainText('no deployments')
  const state = await call(page, 'app.state', {})
  expect(JSON.stringify(state) + (await page.content())).not.toContain(password)
  expect([...new Set(guarded.requested)], 'nothing else goes through it').toEqual(['deploy.example.test'])

  const { host, port } = open.address
  const pac = `function FindProxyForURL(url, host) { return host == "a.test" ? "PROXY ${host}:${port}" : "DIRECT" }`
  const cases = [
    ['http://a.test', { mode: 'pac-text', text: pac }, 1],
    ['http://a.test', { mode: 'manual', host, port, credentials: null }, 1],
    [plain.baseUrl, { mode: 'manual', host, port, credentials: null }, 1],
    [plain.baseUrl, { mode: 'pac-text', text: pac }, 0],
    [plain.baseUrl, { mode: 'none' }, 0],
  ] as const
  for (const [baseUrl, proxy, times] of cases) {
    open.requested.length = 0
    const outcome = await call(page, 'environments.check', draft(baseUrl, { proxy }))
    expect(outcome, JSON.stringify(proxy)).toMatchObject({ ok: true })
    expect(open.requested, `${baseUrl} by ${proxy.mode}`).toHaveLength(times)
  }
  const nobody = { mode: 'manual', host, port: 9, credentials: null } as const
  expect(await call(page, 'environments.check', draft(plain.baseUrl, { proxy: nobody }))).toMatchObject({
    failure: { code: 'proxy' },
  })
  for (const server of [guarded, open, service]) server.close()
  await plain.close()
})

test('goes on after the network process has ended, and by an address in brackets', async ({ page, app }) => {
  const authority = await makeAuthority()
  const service = await RecordingService.start(await authority.issue())
  const baseUrl = `https://localhost:${service.port}`
  const trust = { kind: 'authority' as const, pem: authority.pem }
  const saved = await call(page, 'environments.save', draft(baseUrl, { trust }))
  if (!saved.ok) throw new Error(saved.failure.message)
  const { id } = saved.value
  await call(page, 'environments.select', { id })
  const list = (): Promise<boolean> =>
    call(page, 'deployments.page', { environmentId: id, query: {} }).then(({ ok }) => ok)
  expect(await list()).toBe(true)
  const processes = (): Promise<number[]> =>
    app.evaluate(({ app: electron }) =>
      electron
        .getAppMetrics()
        .filter(({ serviceName }) => serviceName === 'network.mojom.NetworkService')
        .map(({ pid }) => pid),
    )
  const [pid] = await processes()
  process.kill(pid!, 'SIGKILL')
  await expect.poll(list).toBe(true)
  expect(await processes()).not.toContain(pid)
  service.close()

  const refused = await RecordingService.start(await makeSelfSigned(), false, '::1')
  const outcome = await call(page, 'environments.check', draft(`https://[::1]:${refused.port}`, {}))
  expect(outcome).toMatchObject({
    ok: false,
    failure: { code: 'certificate', certificate: { trustable: true } },
  })
  refused.close()
})

const apiKey = 'k3y-for-the-official-engine-only'
const allowed = { SLIPWAY_ALLOW_TRIAL_ENGINE: '1' }
const banner = (page: Page) => page.getByRole('region', { name: 'Trial engine' })
const farDraft = (baseUrl: string, proxy: HttpProxy, headers: { name: string; value: string }[]) => ({
  ...draft(baseUrl, { headers, proxy: { mode: 'manual', ...proxy.address, credentials: null } }),
  name: 'Far away',
})

alone(
  'a trial engine is named in the window, no credentials go through it to other machines, and no TLS keys to a file',
  async ({ start, userData }) => {
    const service = await StubService.start(json({ resources: [], offset: 0 }))
    // Through this proxy, all hosts lead to this machine. It counts the requested hosts.
    const proxy = await HttpProxy.start(Number(new URL(service.baseUrl).port))
    const headers = [{ name: 'X-Api-Key', value: apiKey }]
    const far = farDraft('http://far.test', proxy, headers)

    // With permission, an environment is saved and used.
    const keys = join(userData, 'tls-keys')
    const first = await start({ ...allowed, SSLKEYLOGFILE: keys })
    const version = await first.app.evaluate(() => process.versions.electron)
    alone.skip(Number.parseInt(version, 10) > 33, `Electron ${version} is no trial engine.`)
    await expect(banner(first.page)).toHaveText(
      'Trial engine: no security fixes. Use the official Electron for real environments.',
    )
    const saved = await call(first.page, 'environments.save', far)
    expect(saved).toMatchObject({ ok: true })
    const environmentId = saved.ok ? saved.value.id : ''
    await call(first.page, 'environments.select', { id: environmentId })
    expect(
      await call(first.page, 'deployments.page', { environmentId, query: { limit: 20, offset: 0 } }),
    ).toMatchObject({
      ok: true,
    })
    expect(proxy.requested).toContain('far.test')

    // With the keys in the file that the variable names, others could decrypt traffic.
    const authority = await makeAuthority()
    const encrypted = await RecordingService.start(await authority.issue())
    const trust = { kind: 'authority' as const, pem: authority.pem }
    const overTls = draft(`https://localhost:${encrypted.port}`, { trust })
    expect(await call(first.page, 'environments.check', overTls)).toMatchObject({ ok: true })
    expect(encrypted.arrived).toEqual(['GET /v2/deployments'])
    await expect(access(keys)).rejects.toThrow('ENOENT')
    encrypted.close()
    await first.close()

    // Without it, stored credentials aren't sent, and new ones aren't accepted.
    proxy.requested.length = 0
    const { page } = await start()
    await expect(banner(page)).toBeVisible()
    const refused = { ok: false, failure: { code: 'not-allowed', message: expect.stringContaining(version) } }
    expect(
      await call(page, 'deployments.page', { environmentId, query: { limit: 20, offset: 0 } }),
    ).toMatchObject(refused)
    const creation = await call(page, 'deployments.create', {
      environmentId,
      request: {
        name: 'agent',
        source: 'internal_docker',
        source_config: {},
        source_revision_config: {},
        secrets: [],
      },
      confirmedName: null,
    })
    expect(creation).toMatchObject(refused)
    const withStoredKey = { ...far, id: environmentId, headers: [{ name: 'X-Api-Key', value: null }] }
    expect(await call(page, 'environments.check', withStoredKey)).toMatchObject(refused)
    expect(await call(page, 'environments.check', far)).toMatchObject(refused)
    expect(await call(page, 'environments.save', { ...far, name: 'Another' })).toMatchObject(refused)
    expect(proxy.requested, 'nothing was sent').toEqual([])
    await expect(page.getByRole('alert').filter({ hasText: 'SLIPWAY_ALLOW_TRIAL_ENGINE=1' })).toBeVisible()

    // Requests without credentials may go anywhere, and credentials may go to this machine.
    expect(await call(page, 'environments.check', farDraft('http://far.test', proxy, []))).toMatchObject({
      ok: true,
    })
    expect(await call(page, 'environments.check', farDraft(service.baseUrl, proxy, headers))).toMatchObject({
      ok: true,
    })

    proxy.close()
    await service.close()
  },
)
