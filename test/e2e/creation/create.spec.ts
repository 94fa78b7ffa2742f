import { sampleIntegrationId } from '@contract'
import type { BrowserWindow } from 'electron'
import {
  addSecret,
  callBridge,
  create,
  deploymentsNamed,
  fill,
  goTo,
  openForm,
  press,
  pressRare,
  review,
  switchTo,
  textbox,
} from '../support/page/creation'
import { choose } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { expectAccessible } from '../support/page/accessibility'
import { cloud, selfHosted, useServices } from '../support/services/own-services'
import {
  anyDeployment,
  changingService,
  json,
  StubService,
  useEnvironment,
} from '../support/services/stub-service'

const listener = '3f0c2b7a-5d1e-4c8b-9a60-7e4d2f1b8c35'

test.beforeEach(({ page, services }) => useServices(page, services))

test('creates from a repository', async ({ page }) => {
  await openForm(page)
  await page.getByRole('radio', { name: 'Repository' }).check()
  await fill(page, {
    Name: 'from-repository',
    'Integration ID': sampleIntegrationId,
    'Repository URL': 'https://github.com/acme-labs/order-copilot',
    'Git ref': 'main',
    'Config path': 'agents/order.json',
    'Install command': 'npm ci',
    'Build command': 'npm run build',
  })
  await page.getByRole('switch', { name: 'Build on push' }).click()
  await choose(page, 'Deployment type', 'Development')
  await create(page, cloud)

  const notice = page.getByRole('status').filter({ hasText: 'Created' })
  await expect(notice).toContainText('from-repository')
  await expect(notice).toContainText('Ready')
  const [created, ...others] = await deploymentsNamed(page, 'from-repository')
  expect(others).toEqual([])
  expect(created).toMatchObject({
    source: 'repohost',
    source_config: {
      integration_id: sampleIntegrationId,
      repo_url: 'https://github.com/acme-labs/order-copilot',
      build_on_push: true,
      install_command: 'npm ci',
      build_command: 'npm run build',
      deployment_type: 'dev',
    },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'agents/order.json' },
  })
  // The deployment's page opens, and the form is empty again.
  await expect(page.getByRole('heading', { name: 'from-repository', level: 1 })).toBeVisible()
  await openForm(page)
  await expect(textbox(page, 'Name')).toHaveValue('')
})

test('creates from an external image, with resources, a secret and references', async ({ page }) => {
  await switchTo(page, selfHosted)
  await openForm(page)
  await expect(page.getByRole('radio', { name: 'External image' })).toBeChecked()
  await fill(page, {
    Name: 'external-image',
    'Image URI': 'registry.example.com/agents/support:1.4.0',
    'Listener ID': listener,
    'Kubernetes namespace': 'agents',
    'Custom URL': 'https://support.example.com',
    'API CPU': '1.5',
    'API CPU limit': '2',
    'API memory': '2048',
  })
  await addSecret(page, 1, 'API_KEY', 'never-shown-1234')
  await press(page, 'Add secret reference')
  await fill(page, {
    'Secret reference 1 name': 'DATABASE_URL',
    'Secret reference 1 secret name': 'agent-database',
    'Secret reference 1 secret key': 'url',
  })
  await create(page, selfHosted)
  await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText('external-image')
  expect(await deploymentsNamed(page, 'external-image')).toMatchObject([
    {
      source: 'external_docker',
      source_config: {
        listener_id: listener,
        listener_config: { k8s_namespace: 'agents' },
        custom_url: 'https://support.example.com',
        resource_spec: { cpu: 1.5, cpu_limit: 2, memory_mb: 2048 },
      },
      source_revision_config: { image_uri: 'registry.example.com/agents/support:1.4.0' },
      secrets: [{ name: 'API_KEY', value: '' }],
      secret_references: [{ name: 'DATABASE_URL', secret_name: 'agent-database', secret_key: 'url' }],
    },
  ])
  await press(page, 'Create another like it')
  await expect(page.getByRole('group', { name: /Not copied/ })).toBeVisible()
  await expectAccessible(page, 'another like it')
})

test("the other mode's sources are disabled with the reason, and refused by main and the service, whoever asks", async ({
  page,
  services,
}) => {
  await openForm(page)
  const external = page.getByRole('radio', { name: 'External image' })
  await expect(external).toBeDisabled()
  await expect(external).toHaveAccessibleDescription('Only in self-hosted environments')
  await expect(page.getByText('Only in self-hosted environments')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add secret reference' })).toHaveCount(0)

  await switchTo(page, selfHosted)
  for (const name of ['Repository', 'Internal image', 'Internal source', 'Internal template']) {
    await expect(page.getByRole('radio', { name })).toBeDisabled()
    await expect(page.getByRole('radio', { name })).toHaveAccessibleDescription('Only in cloud environments')
  }
  await expect(external).toBeEnabled()

  for (const { mode, environment, refused } of [
    { mode: 'cloud', environment: cloud, refused: ['external_docker'] },
    {
      mode: 'self-hosted',
      environment: selfHosted,
      refused: ['repohost', 'internal_docker', 'internal_source', 'internal_template'],
    },
  ] as const) {
    await switchTo(page, environment)
    const service = mode === 'cloud' ? services.cloud : services.selfHosted
    for (const source of refused) {
      const request = {
        name: `forced-${source.replace('_', '-')}`,
        source,
        source_config: {},
        source_revision_config: {},
        secrets: [],
      }
      const outcome = await callBridge(page, 'deployments.create', { request, confirmedName: null })
      expect(outcome).toMatchObject({
        ok: false,
        failure: { code: 'invalid-input', issues: [{ path: ['source'] }] },
      })
      expect(await deploymentsNamed(page, request.name)).toEqual([])

      const answer = await fetch(`${service.url}/v2/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      })
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain('available only in')
    }
  }
})

test("a taken name is reported in the service's words, or asks for consent in the review, and nothing is lost", async ({
  page,
}) => {
  await test.step("a taken name is reported in the service's words, and nothing is lost", async () => {
    await openForm(page)
    await page.getByRole('radio', { name: 'Internal image' }).check()
    await fill(page, { Name: 'taken-twice', 'Image URI': 'internal/agent:1' })
    await create(page, cloud)
    await expect(page.getByRole('status').filter({ hasText: 'Created' })).toBeVisible()

    await openForm(page)
    await page.getByRole('radio', { name: 'Internal image' }).check()
    await fill(page, { Name: 'taken-twice', 'Image URI': 'internal/agent:2' })
    await addSecret(page, 1, 'API_KEY', 'kept-after-failure')
    // The cache shows it before the service is asked.
    await expect(textbox(page, 'Name')).toHaveAccessibleDescription(/is in the cache/)
    await press(page, 'Create deployment')
    await expect(review(page).getByRole('group', { name: 'Warnings' })).toContainText('is in the cache')
    await review(page).getByRole('checkbox', { name: 'Create anyway' }).click()
    await review(page)
      .getByRole('button', { name: `Create in ${cloud}` })
      .click()
    await expect(review(page)).toHaveCount(0)
    const alert = page.getByRole('alert').filter({ hasText: /\(409\).*Service response:/ })
    await expect(alert).toContainText('taken-twice')
    await expect(textbox(page, 'Name')).toHaveAttribute('aria-invalid', 'true')
    await expect(textbox(page, 'Image URI')).toHaveValue('internal/agent:2')
    await expect(page.getByLabel('Secret 1 value', { exact: true })).toHaveValue('kept-after-failure')

    await fill(page, { Name: 'taken-no-more' })
    await expect(textbox(page, 'Name')).not.toHaveAttribute('aria-invalid', 'true')
    await create(page, cloud)
    await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText('taken-no-more')
    expect(await deploymentsNamed(page, 'taken-twice')).toHaveLength(1)
  })
  await test.step('a name that turns out to be taken during the review asks for consent, and leaves the focus with the warning', async () => {
    const { state, stub } = await changingService(anyDeployment(1))
    try {
      await useEnvironment(page, { baseUrl: stub.baseUrl })
      await openForm(page)
      await page.getByRole('radio', { name: 'Internal image' }).check()
      await fill(page, { Name: 'stub-2', 'Image URI': 'internal/agent:1' })
      await press(page, 'Create deployment')
      const send = review(page).getByRole('button', { name: 'Create in Stub' })
      await expect(send).toBeEnabled()
      await send.focus()
      state.all = [anyDeployment(2), ...state.all]
      expect(await callBridge(page, 'sync.start', {})).toMatchObject({ ok: true })
      const warnings = review(page).getByRole('group', { name: 'Warnings' })
      await expect(warnings).toContainText('is in the cache')
      await expect(warnings).toBeFocused()
      await expect(send).toBeDisabled()
      await page.keyboard.press('Enter')
      await expect(review(page).getByRole('checkbox', { name: 'Create anyway' })).not.toBeChecked()
      await expect(review(page)).toBeVisible()
    } finally {
      await stub.close()
    }
  })
})

test('mistakes are found before anything is sent, and what a service may refuse is sent only on request', async ({
  page,
}) => {
  await test.step('finds mistakes before anything is sent, and shows them at the fields', async () => {
    await openForm(page)
    await expect(page.locator('[aria-invalid="true"]')).toHaveCount(0)
    await press(page, 'Create deployment')
    await expect(review(page)).toHaveCount(0)
    await expect(textbox(page, 'Name')).toBeFocused()
    await expect(textbox(page, 'Name')).toHaveAccessibleDescription(/Enter a name/)

    await fill(page, {
      Name: 'checked',
      'Integration ID': 'not-a-uuid',
      'API CPU': '4',
      'API CPU limit': '2',
      'API memory': 'much',
    })
    await press(page, 'Add secret')
    await press(page, 'Create deployment')
    await expect(textbox(page, 'Integration ID')).toHaveAccessibleDescription(/Enter a valid ID \(UUID\)/)
    await expect(textbox(page, 'API CPU')).toHaveAccessibleDescription(
      'API CPU (4) may not be more than API CPU limit (2).',
    )
    await expect(textbox(page, 'API memory')).toHaveAccessibleDescription('API memory: Enter a number.')
    await expect(textbox(page, 'Secret 1 name')).toHaveAttribute('aria-invalid', 'true')
    await expectAccessible(page, 'the form with errors')

    expect(await deploymentsNamed(page, 'checked')).toEqual([])
  })
  await test.step('warns of what a service may refuse, and sends it only on request', async () => {
    await openForm(page)
    await pressRare(page, 'New draft')
    await fill(page, { Name: 'Unusual_Name' })
    await press(page, 'Create deployment')
    const dialog = review(page)
    await expect(dialog).toContainText(cloud)
    await expect(dialog).toContainText('The name is permanent')
    await expect(dialog.getByRole('group', { name: 'Warnings' })).toContainText('Enter a repository URL')
    await expect(dialog.getByRole('group', { name: 'Warnings' })).toContainText(
      'Safe names begin with a letter',
    )
    await expectAccessible(page, 'the review')
    const send = dialog.getByRole('button', { name: `Create in ${cloud}` })
    await expect(send).toBeDisabled()
    await dialog.getByRole('checkbox', { name: /Create anyway/ }).click()
    await send.click()
    // The service has the last word, and its words are shown.
    await expect(page.getByRole('alert').filter({ hasText: /\(400\).*Service response:/ })).toBeVisible()
    await expect(page.getByRole('combobox', { name: 'Repository URL' })).toHaveAccessibleDescription(
      /Repository URL is required/,
    )
    await expect(textbox(page, 'Name')).toHaveValue('Unusual_Name')
  })
})

test("trims what was pasted, hides credentials of a URL, and shows the service's errors at the fields they name", async ({
  page,
}) => {
  await test.step('trims pasted blanks, shows those that stay, and asks before it sends credentials in a URL', async () => {
    await openForm(page)
    await fill(page, {
      Name: 'pasted-agent\u00a0',
      'Integration ID': `${sampleIntegrationId} `,
      'Repository URL': 'https://someone:p4ssw0rd-in-url@github.com/acme-labs/order-copilot',
      'Git ref': ' main\t',
      'Config path': 'agents/order.json\u200b',
    })
    await addSecret(page, 1, 'API_KEY', 'pasted-key ')
    await expect(textbox(page, 'Name')).toHaveValue('pasted-agent')
    await expect(textbox(page, 'Git ref')).toHaveValue('main')
    const preview = page.getByRole('region', { name: 'Request preview' })
    await expect(preview).toContainText('https://••••••••@github.com/acme-labs/order-copilot')
    await expect(preview).not.toContainText('p4ssw0rd')
    await press(page, 'Create deployment')
    const dialog = review(page)
    const warnings = dialog.getByRole('group', { name: 'Warnings' })
    await expect(warnings).toContainText('The URL has a password or token')
    await expect(warnings).toContainText('Secret 1, value: Ends with ␣')
    await expect(dialog).not.toContainText('p4ssw0rd')
    const send = dialog.getByRole('button', { name: `Create in ${cloud}` })
    await expect(send).toBeDisabled()
    await dialog.getByRole('checkbox', { name: /Create anyway/ }).click()
    await expect(send).toBeEnabled()
    await page.keyboard.press('Escape')
    await fill(page, { 'Repository URL': 'https://github.com/acme-labs/order-copilot ' })
    await create(page, cloud)
    await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText('pasted-agent')
    expect(await deploymentsNamed(page, 'pasted-agent')).toMatchObject([
      {
        source_config: { repo_url: 'https://github.com/acme-labs/order-copilot' },
        source_revision_config: { repo_ref: 'main', graph_config_path: 'agents/order.json' },
      },
    ])
  })
  await test.step("shows the service's errors at the fields they name, the others at the top", async () => {
    const stub = await StubService.start(json({ resources: [], offset: 0 }))
    await useEnvironment(page, { baseUrl: stub.baseUrl })
    await openForm(page)
    await fill(page, { Name: 'refused', 'Repository URL': 'https://git.example.com/x' })
    stub.answer = json(
      {
        detail: [
          {
            loc: ['body', 'source_config', 'repo_url'],
            msg: 'This host is not allowed',
            type: 'value_error',
          },
          { loc: ['body', 'quota'], msg: 'The quota is used up', type: 'value_error' },
        ],
      },
      422,
    )
    await press(page, 'Create deployment')
    await review(page)
      .getByRole('checkbox', { name: /Create anyway/ })
      .click()
    await review(page).getByRole('button', { name: 'Create in Stub' }).click()
    await expect(textbox(page, 'Repository URL')).toHaveAccessibleDescription(/This host is not allowed/)
    const alert = page.getByRole('alert').filter({ hasText: 'quota: The quota is used up' })
    await expect(alert.getByRole('listitem')).toHaveText(['quota: The quota is used up'])
    await expectAccessible(page, 'the form with errors of the service')
    await fill(page, { 'Repository URL': 'https://git.example.com/y' })
    await expect(textbox(page, 'Repository URL')).not.toHaveAccessibleDescription(/This host is not allowed/)
    await stub.close()
  })
})

test('a protected environment asks for its name, and the review fits whatever that is and the zoom', async ({
  page,
  services,
  slipway,
}) => {
  await test.step('a protected environment asks for its name, and the review fits whatever that is', async () => {
    await test.step('a protected environment asks for its name', async () => {
      await useEnvironment(page, {
        name: 'Production',
        baseUrl: services.cloud.url,
        colour: 'brown',
        protected: true,
      })
      await openForm(page)
      await page.getByRole('radio', { name: 'Internal image' }).check()
      await fill(page, { Name: 'guarded' })
      await press(page, 'Create deployment')
      const dialog = review(page)
      const send = dialog.getByRole('button', { name: 'Create in Production' })
      await expect(dialog.getByText('Protected', { exact: true })).toBeVisible()
      await expect(send).toBeDisabled()
      await dialog.getByRole('textbox', { name: 'Environment name' }).fill('production')
      await expect(send).toBeDisabled()
      await dialog.getByRole('textbox', { name: 'Environment name' }).fill('Production')
      await send.click()
      await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText('guarded')

      const request = {
        name: 'unguarded',
        source: 'internal_docker',
        source_config: {},
        source_revision_config: {},
        secrets: [],
      }
      const forced = await callBridge(page, 'deployments.create', { request, confirmedName: null })
      expect(forced).toMatchObject({ ok: false, failure: { code: 'confirmation-needed' } })
      expect(await deploymentsNamed(page, 'unguarded')).toEqual([])
    })
  })
  await test.step('the text and buttons of the review fit, whatever the name and the zoom', async () => {
    const stub = await StubService.start((query, response, headers) => {
      // A creation stays unanswered.
      if (headers['content-type'] === undefined) json({ resources: [], offset: 0 })(query, response, headers)
    })
    const name = `${'W'.repeat(59)}A`
    await slipway.resize(900, 600)
    await useEnvironment(page, { name, baseUrl: stub.baseUrl, protected: true })
    await openForm(page)
    await page.getByRole('radio', { name: 'Internal image' }).check()
    await fill(page, { Name: 'held-in-review', 'Image URI': 'registry.example.com/agent:1' })
    await press(page, 'Create deployment')
    const dialog = review(page)
    await fill(page, { 'Environment name': name })
    /** The parts of the review that stick out of the dialog or are cut off. */
    const outside = (): Promise<(string | null)[]> =>
      dialog.evaluate((own) =>
        [...own.querySelectorAll('.where strong, [role=status], .dialog-footer button')]
          .filter((part) => {
            part.scrollIntoView({ block: 'nearest' })
            const [inner, outer] = [part.getBoundingClientRect(), own.getBoundingClientRect()]
            const isWithin = inner.left >= outer.left && inner.right <= outer.right
            const isBetween = inner.top >= outer.top && inner.bottom <= outer.bottom
            return !isWithin || !isBetween || part.scrollWidth > part.clientWidth
          })
          .map((part) => part.textContent),
      )
    const window = await slipway.app.browserWindow(page)
    // The application waits for the answer for 15 s at most.
    await dialog.getByRole('button', { name: `Create in ${name}` }).click()
    const words = dialog.getByRole('status')
    await expect(words).toContainText('Creating')
    expect(await outside()).toEqual([])
    expect((await words.boundingBox())!.height, 'one line').toBeLessThan(25)
    await window.evaluate((own: BrowserWindow) => own.webContents.setZoomFactor(2))
    await page.waitForFunction(() => innerWidth === 450)
    expect(await outside()).toEqual([])
    expect((await words.boundingBox())!.height, 'two lines').toBeLessThan(45)
    await stub.close()
  })
})

test("secrets can't be read anywhere, and are taken from the text of an environment file", async ({
  page,
}) => {
  await test.step('the value of a secret cannot be read anywhere', async () => {
    const value = 'correct-horse-battery'
    await openForm(page)
    await page.getByRole('radio', { name: 'Internal image' }).check()
    await fill(page, { Name: 'with-secret' })
    await addSecret(page, 1, 'API_KEY', value)
    const preview = page.getByRole('region', { name: 'Request preview' })
    await expect(preview).toContainText('API_KEY')
    await expect(preview).toContainText('••••••••')
    const text = (): Promise<string> =>
      page.evaluate(() => `${document.body.innerText} ${document.body.textContent}`)
    expect(await text()).not.toContain(value)

    const field = page.getByLabel('Secret 1 value', { exact: true })
    await expect(field).toHaveAttribute('type', 'password')
    await press(page, 'Show value of secret 1')
    await expect(field).toHaveAttribute('type', 'text')
    await press(page, 'Show value of secret 1')
    await expect(field).toHaveAttribute('type', 'password')

    await press(page, 'Create deployment')
    await expect(review(page)).toContainText('API_KEY')
    expect(await text()).not.toContain(value)
    await review(page)
      .getByRole('button', { name: `Create in ${cloud}` })
      .click()
    await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText('with-secret')
    expect(await text()).not.toContain(value)
    const [created] = await deploymentsNamed(page, 'with-secret')
    expect(JSON.stringify(created)).not.toContain(value)
  })
  await test.step('takes secrets from the text of an environment file', async () => {
    await openForm(page)
    await page.getByRole('radio', { name: 'Internal image' }).check()
    await fill(page, { Name: 'with-env' })
    await addSecret(page, 1, 'API_KEY', 'old')
    await press(page, 'Paste .env')
    const dialog = page.getByRole('dialog', { name: 'Paste .env' })
    const text = dialog.getByRole('textbox', { name: 'Environment file' })
    const add = dialog.getByRole('button', { name: /^Add / })
    await text.fill('# keys\nexport API_KEY="new"\nnonsense\nURL="a","b"')
    await expect(text).toHaveAccessibleDescription(
      /Line 3: NAME=value is expected.*Line 4: Text follows the closing quote/,
    )
    await expect(add).toBeDisabled()
    await text.fill('# keys\nexport API_KEY="new"\nURL=postgres://db # main\nURL=postgres://other')
    await expect(text).toHaveAccessibleDescription(/Duplicate: URL.*Replaces the value of: API_KEY/)
    await expectAccessible(page, 'the dialog for an environment file')
    await dialog.getByRole('button', { name: 'Add 2 secrets' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(page.getByLabel('Secret 1 value', { exact: true })).toHaveValue('new')
    await expect(textbox(page, 'Secret 2 name')).toHaveValue('URL')
    await expect(page.getByLabel('Secret 2 value', { exact: true })).toHaveValue('postgres://other')
    await press(page, 'Paste .env')
    await expect(text).toHaveValue('')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await create(page, cloud)
    await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText('with-env')
    expect(await deploymentsNamed(page, 'with-env')).toMatchObject([
      { secrets: [{ name: 'API_KEY' }, { name: 'URL' }] },
    ])
  })
})

test('nothing moves under a pointer that is about to press', async ({ page }) => {
  await test.step('a message that appears when a field loses the focus does not make a click miss the button below', async () => {
    await openForm(page)
    await page.getByRole('radio', { name: 'Internal image' }).check()
    await addSecret(page, 1, 'API_KEY', '')
    await page.getByLabel('Secret 1 value', { exact: true }).focus()
    // Near its upper edge, where a message could move it away from the pointer.
    await page.getByRole('button', { name: 'Paste .env' }).hover({ position: { x: 12, y: 4 } })
    await page.mouse.down()
    // A person presses for longer than a message takes to appear, which is one frame after the field loses the focus.
    await expect(page.getByLabel('Secret 1 value', { exact: true })).not.toBeFocused()
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    )
    await page.mouse.up()
    await expect(page.getByRole('dialog', { name: 'Paste .env' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByLabel('Secret 1 value', { exact: true })).toHaveAccessibleDescription(/empty/)
  })
  await test.step('content that scrolls into view does not move afterwards', async () => {
    await openForm(page)
    await pressRare(page, 'New draft')
    const tops = await page
      .getByRole('button', { name: 'Add secret', exact: true })
      .evaluate(async (button) => {
        button.scrollIntoView()
        const found: number[] = []
        for (let frame = 0; frame < 10; frame += 1) {
          found.push(Math.round(button.getBoundingClientRect().y))
          await new Promise(requestAnimationFrame)
        }
        return found
      })
    expect(new Set(tops).size, tops.join(', ')).toBe(1)
  })
})

test('a draft survives visits to other screens and belongs to its environment, and its fields follow the source', async ({
  page,
}) => {
  await test.step('a draft survives visits to other screens, and belongs to its environment', async () => {
    await openForm(page)
    await fill(page, { Name: 'half-typed', 'Git ref': 'release' })
    await addSecret(page, 1, 'API_KEY', 'still-here')
    await goTo(page, 'Deployments')
    await openForm(page)
    await expect(textbox(page, 'Name')).toHaveValue('half-typed')
    await expect(page.getByLabel('Secret 1 value', { exact: true })).toHaveValue('still-here')

    await switchTo(page, selfHosted)
    await expect(textbox(page, 'Name')).toHaveValue('')
    expect(await page.locator('main').innerHTML()).not.toContain('half-typed')
    await fill(page, { Name: 'another-one' })
    await switchTo(page, cloud)
    await expect(textbox(page, 'Name')).toHaveValue('half-typed')
    await expect(textbox(page, 'Git ref')).toHaveValue('release')

    await pressRare(page, 'Discard draft')
    await page.getByRole('dialog', { name: 'Discard draft' }).getByRole('button', { name: 'Discard' }).click()
    await expect(textbox(page, 'Name')).toHaveValue('')
    await switchTo(page, selfHosted)
    await expect(textbox(page, 'Name')).toHaveValue('another-one')
  })
  await switchTo(page, cloud)
  await test.step('fields follow the source; hidden input is preserved, and a note says that it is not sent', async () => {
    await openForm(page)
    await fill(page, { Name: 'changing', 'Repository URL': 'https://github.com/acme-labs/x' })
    await page.getByRole('radio', { name: 'Internal image' }).check()
    await expect(textbox(page, 'Repository URL')).toHaveCount(0)
    await expect(textbox(page, 'Image URI')).toBeVisible()
    const notSent = page.getByRole('group', { name: 'Kept, not sent' })
    await expect(notSent).toContainText('Repository URL')
    const preview = page.getByRole('region', { name: 'Request preview' })
    await expect(preview).toContainText('internal_docker')
    await expect(preview).not.toContainText('acme-labs')

    await press(page, 'Send Repository URL anyway')
    await expect(textbox(page, 'Repository URL')).toHaveValue('https://github.com/acme-labs/x')
    await expect(preview).toContainText('acme-labs')
    await page.getByRole('radio', { name: 'Repository' }).check()
    await expect(textbox(page, 'Repository URL')).toHaveValue('https://github.com/acme-labs/x')
    await expect(notSent).toHaveCount(0)
  })
})
