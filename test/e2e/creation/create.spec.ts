import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Locator, Page } from '@playwright/test'
import { sampleIntegrationId } from '@contract'
import {
  addSecret,
  callBridge,
  create,
  deploymentsNamed,
  fill,
  goTo,
  openForm,
  press,
  review,
  switchTo,
  textbox,
} from '../support/page/creation'
import { expect, test } from '../support/fixtures'
import { expectAccessible } from '../support/page/accessibility'
import {
  StubService,
  cloud,
  json,
  selfHosted,
  useEnvironment,
  useServices,
} from '../support/services/stub-service'

const listener = '3f0c2b7a-5d1e-4c8b-9a60-7e4d2f1b8c35'

const preview = (page: Page) => page.getByRole('region', { name: 'Request preview' })

/** Opens the text beside the form in a language. */
async function openText(page: Page, language: 'JSON' | 'YAML') {
  await preview(page).getByRole('radio', { name: language }).check()
  const text = textbox(page, `Request as ${language}`)
  await expect(text).toContainText('source_config')
  return text
}

/** Replaces the whole text, as by pasting. */
async function paste(text: Locator, value: string): Promise<void> {
  await text.press('Control+a')
  await text.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, value)
}

/** Sets the files that the system's open and save dialogs choose; null cancels. */
function answerDialogs(app: ElectronApplication, opened: string | null, saved: string | null): Promise<void> {
  return app.evaluate(
    ({ dialog }, [from, to]) => {
      dialog.showOpenDialog = () =>
        Promise.resolve({ canceled: from === null, filePaths: from ? [from] : [] })
      dialog.showSaveDialog = () => Promise.resolve({ canceled: to === null, filePath: to ?? '' })
    },
    [opened, saved] as const,
  )
}

test.beforeEach(({ page, services }) => useServices(page, services))

test('creates from an external image, and disables the sources of the other mode with the reason', async ({
  page,
}) => {
  await openForm(page)
  const external = page.getByRole('radio', { name: 'External image' })
  await expect(external).toBeDisabled()
  await expect(external).toHaveAccessibleDescription('Only in self-hosted environments')
  await expect(page.getByRole('button', { name: 'Add secret reference' })).toHaveCount(0)

  await switchTo(page, selfHosted)
  for (const name of ['Repository', 'Internal image', 'Internal source', 'Internal template']) {
    await expect(page.getByRole('radio', { name })).toBeDisabled()
    await expect(page.getByRole('radio', { name })).toHaveAccessibleDescription('Only in cloud environments')
  }
  await expect(external).toBeChecked()
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
})

test("a taken name is reported in the service's words, and nothing is lost", async ({ page }) => {
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

test('mistakes are found before anything is sent, and what a service may refuse is sent only on request', async ({
  page,
}) => {
  await openForm(page)
  await expect(page.locator('[aria-invalid="true"]')).toHaveCount(0)
  await press(page, 'Create deployment')
  await expect(review(page)).toHaveCount(0)
  await expect(textbox(page, 'Name')).toBeFocused()
  await expect(textbox(page, 'Name')).toHaveAccessibleDescription(/Enter a name/)

  await fill(page, { Name: 'Unusual_Name', 'Integration ID': 'not-a-uuid' })
  await press(page, 'Create deployment')
  await expect(textbox(page, 'Integration ID')).toHaveAccessibleDescription(/Enter a valid ID \(UUID\)/)
  await expectAccessible(page, 'the form with errors')
  expect(await deploymentsNamed(page, 'Unusual_Name')).toEqual([])

  await fill(page, { 'Integration ID': '' })
  await press(page, 'Create deployment')
  const dialog = review(page)
  await expect(dialog).toContainText(cloud)
  await expect(dialog).toContainText('The name is permanent')
  const warnings = dialog.getByRole('group', { name: 'Warnings' })
  await expect(warnings).toContainText('Enter a repository URL')
  await expect(warnings).toContainText('Safe names begin with a letter')
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

test("trims what was pasted, hides credentials of a URL, and shows the service's errors at the fields they name", async ({
  page,
}) => {
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
  await expect(preview(page)).toContainText('https://••••••••@github.com/acme-labs/order-copilot')
  await expect(preview(page)).not.toContainText('p4ssw0rd')
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
  await fill(page, { 'Repository URL': 'https://git.example.com/y' })
  await expect(textbox(page, 'Repository URL')).not.toHaveAccessibleDescription(/This host is not allowed/)
  await stub.close()
})

test('a protected environment asks for its name, also behind the page', async ({ page, services }) => {
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

test('values of secrets are masked, and taken from the text of an environment file', async ({ page }) => {
  const value = 'correct-horse-battery'
  await openForm(page)
  await page.getByRole('radio', { name: 'Internal image' }).check()
  await fill(page, { Name: 'with-secret' })
  await addSecret(page, 1, 'API_KEY', value)
  await expect(preview(page)).toContainText('API_KEY')
  await expect(preview(page)).toContainText('••••••••')
  const shown = (): Promise<string> =>
    page.evaluate(() => `${document.body.innerText} ${document.body.textContent}`)
  expect(await shown()).not.toContain(value)

  const field = page.getByLabel('Secret 1 value', { exact: true })
  await expect(field).toHaveAttribute('type', 'password')
  await press(page, 'Show value of secret 1')
  await expect(field).toHaveAttribute('type', 'text')
  await press(page, 'Show value of secret 1')
  await expect(field).toHaveAttribute('type', 'password')

  await press(page, 'Create deployment')
  await expect(review(page)).toContainText('API_KEY')
  expect(await shown()).not.toContain(value)
  await review(page)
    .getByRole('button', { name: `Create in ${cloud}` })
    .click()
  await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText('with-secret')
  expect(await shown()).not.toContain(value)

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
  await dialog.getByRole('button', { name: 'Add 2 secrets' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByLabel('Secret 1 value', { exact: true })).toHaveValue('new')
  await expect(textbox(page, 'Secret 2 name')).toHaveValue('URL')
  await expect(page.getByLabel('Secret 2 value', { exact: true })).toHaveValue('postgres://other')
  await create(page, cloud)
  await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText('with-env')
  expect(await deploymentsNamed(page, 'with-env')).toMatchObject([
    { secrets: [{ name: 'API_KEY' }, { name: 'URL' }] },
  ])
})

test('fields follow the source; hidden input is preserved, and a note says that it is not sent', async ({
  page,
}) => {
  await openForm(page)
  await fill(page, { Name: 'changing', 'Repository URL': 'https://github.com/acme-labs/x' })
  await page.getByRole('radio', { name: 'Internal image' }).check()
  await expect(textbox(page, 'Repository URL')).toHaveCount(0)
  await expect(textbox(page, 'Image URI')).toBeVisible()
  const notSent = page.getByRole('group', { name: 'Kept, not sent' })
  await expect(notSent).toContainText('Repository URL')
  await expect(preview(page)).toContainText('internal_docker')
  await expect(preview(page)).not.toContainText('acme-labs')

  await press(page, 'Send Repository URL anyway')
  await expect(textbox(page, 'Repository URL')).toHaveValue('https://github.com/acme-labs/x')
  await expect(preview(page)).toContainText('acme-labs')
  await page.getByRole('radio', { name: 'Repository' }).check()
  await expect(textbox(page, 'Repository URL')).toHaveValue('https://github.com/acme-labs/x')
  await expect(notSent).toHaveCount(0)
})

test('the request is edited as YAML and as JSON beside the form, and the form as well', async ({ page }) => {
  await openForm(page)
  await page.getByRole('radio', { name: 'Internal image' }).check()
  await addSecret(page, 1, 'API_KEY', 'kept-behind-the-mask')
  const yaml = await openText(page, 'YAML')
  await expect(yaml).toContainText('API_KEY')

  await paste(
    yaml,
    [
      'name: by-text # the form leaves this as it is',
      'source: internal_docker',
      'source_config:',
      '  resource_spec: {cpu: 1.5, labels: {team: support}}',
      'source_revision_config:',
      '  image_uri: internal/agent:2.0',
      'secrets:',
      '  - name: RENAMED_KEY',
      '    value: ••••••••',
    ].join('\n'),
  )
  await expect(textbox(page, 'Name')).toHaveValue('by-text')
  await expect(textbox(page, 'Image URI')).toHaveValue('internal/agent:2.0')
  await expect(textbox(page, 'Secret 1 name')).toHaveValue('RENAMED_KEY')
  await expect(page.getByLabel('Secret 1 value', { exact: true })).toHaveValue('kept-behind-the-mask')
  await expect(yaml).toContainText('# the form leaves this as it is')

  // Unusable text is reported at its position, and the form stays unchanged.
  await yaml.getByText('internal/agent:2.0').click()
  await page.keyboard.press('Home')
  await page.keyboard.type('  image_url: x\n')
  await expect(yaml).toHaveAttribute('aria-invalid', 'true')
  const problem = preview(page).getByText('Line 6, column ')
  await expect(problem).toBeVisible()
  await expect(page.locator('.cm-lintRange-error').first()).toBeVisible()
  await expect(textbox(page, 'Image URI')).toHaveValue('internal/agent:2.0')
  await expectAccessible(page, 'a problem in the text of the request')

  // A change of the form changes the text.
  await fill(page, { 'Image URI': 'internal/agent:3.0' })
  await expect(yaml).toContainText('internal/agent:3.0')
  await expect(yaml).not.toHaveAttribute('aria-invalid')

  // Typing continues at the caret while the form follows. Tab leaves the editor.
  const json = await openText(page, 'JSON')
  await json.getByText('"by-text"').click()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('-2')
  await expect(textbox(page, 'Name')).toHaveValue('by-text-2')
  await page.keyboard.press('Tab')
  await expect(json).not.toBeFocused()

  await create(page, cloud)
  expect(await deploymentsNamed(page, 'by-text-2')).toMatchObject([
    {
      source: 'internal_docker',
      source_config: { resource_spec: { cpu: 1.5, labels: { team: 'support' } } },
      source_revision_config: { image_uri: 'internal/agent:3.0' },
      secrets: [{ name: 'RENAMED_KEY' }],
    },
  ])
})

test('a text that cannot be parsed yet survives visits to other screens, and blocks creating and saving', async ({
  page,
  app,
  userData,
}) => {
  await openForm(page)
  await page.getByRole('radio', { name: 'Internal image' }).check()
  await fill(page, { Name: 'old-name', 'Image URI': 'internal/agent:1' })
  const json = await openText(page, 'JSON')
  const typed = '{ "name": "new-name", "secrets": [{ "name": "A", "value": "half-typed" }, '
  await paste(json, typed)
  const isShown = async (): Promise<void> => {
    await expect(json).toHaveText(typed.trim())
    await expect(json).toHaveAttribute('aria-invalid', 'true')
    await expect(preview(page).getByText('this text is lost when Slipway is closed')).toBeVisible()
    await expect(textbox(page, 'Name')).toHaveValue('old-name')
  }
  await isShown()

  await goTo(page, 'Activity')
  await openForm(page)
  await isShown()

  // Nothing may use the form's request instead of the one on the screen.
  const words = "Fix or discard the request text first: it can't be read."
  await press(page, 'Create deployment')
  await expect(page.getByRole('alert').filter({ hasText: words })).toBeVisible()
  await expect(review(page)).toHaveCount(0)
  await expect(json).toBeFocused()
  await answerDialogs(app, null, join(userData, 'saved.json'))
  await press(page, 'Save request')
  await expect(preview(page).getByRole('alert')).toContainText(words)
  expect(existsSync(join(userData, 'saved.json'))).toBe(false)
  await expect(preview(page).getByRole('button', { name: 'Copy request' })).toBeDisabled()
  await press(page, 'Templates')
  const templates = page.getByRole('dialog', { name: 'Templates' })
  await expect(templates).toContainText(words)
  await expect(templates.getByRole('button', { name: 'Save as template' })).toBeDisabled()
  await page.keyboard.press('Escape')

  // Discarded text can be restored. The corrected text is what is created.
  await press(page, 'Discard this text')
  await expect(json).toContainText('old-name')
  await press(page, 'Show my text again')
  await isShown()
  await paste(
    json,
    '{"name": "new-name", "source": "internal_docker", "source_revision_config": {"image_uri": "internal/agent:2"}}',
  )
  await expect(preview(page).getByRole('alert')).toHaveCount(0)
  await create(page, cloud)
  expect(await deploymentsNamed(page, 'new-name')).toMatchObject([
    { source_revision_config: { image_uri: 'internal/agent:2' } },
  ])
})
