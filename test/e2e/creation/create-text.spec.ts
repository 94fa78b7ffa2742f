import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElectronApplication, Locator, Page } from '@playwright/test'
import {
  addSecret,
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
import { inspectScreen } from '../support/page/screens'
import { cloud, selfHosted, useServices } from '../support/services/own-services'

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

test('the request is edited as YAML and as JSON beside the form, and the form as well', async ({
  slipway,
  page,
}) => {
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
  await inspectScreen(slipway, 'new-deployment-yaml-problem')

  // A change of the form changes the text, and can be undone there.
  await fill(page, { 'Image URI': 'internal/agent:3.0' })
  await expect(yaml).toContainText('internal/agent:3.0')
  await expect(yaml).not.toHaveAttribute('aria-invalid')
  await expect(preview(page).getByRole('button', { name: 'Show my text again' })).toBeVisible()

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

test('a text that cannot be parsed yet survives visits to other screens and drafts, and blocks creating, saving and copying', async ({
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
  await pressRare(page, 'New draft')
  await expect(json).toContainText('"name": ""')
  await choose(page, 'Draft', 'old-name')
  await isShown()
  await switchTo(page, selfHosted)
  await expect(json).not.toContainText('new-name')
  await switchTo(page, cloud)
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
  await pressRare(page, 'Copy or move draft…')
  const copying = page.getByRole('dialog', { name: 'Copy or move draft' })
  await expect(copying).toContainText(words)
  await page.keyboard.press('Escape')
  await expect(copying).toHaveCount(0)

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

test('a request is imported from a file and saved to one, without values of secrets', async ({
  page,
  app,
  userData,
}) => {
  const file = (name: string): string => join(userData, name)
  writeFileSync(file('broken.yaml'), 'name: agent\nsource: [\n')
  writeFileSync(
    file('deployment.json'),
    JSON.stringify({
      id: '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10',
      name: 'imported',
      source: 'internal_docker',
      source_config: { resource_spec: { cpu: 2, queue_cpu: '500m' }, colour: 'red' },
      source_revision_config: { image_uri: 'internal/agent:4.0', repo_commit_sha: null },
      secrets: [{ name: 'IMPORTED_KEY', value: 'value-out-of-a-file' }],
      status: 'READY',
    }),
  )
  await openForm(page)
  await fill(page, { Name: 'begun-before' })

  await answerDialogs(app, file('broken.yaml'), null)
  await press(page, 'Import request')
  await expect(preview(page).getByRole('alert')).toContainText("broken.yaml can't be read as a request.")
  await expect(preview(page).getByRole('alert')).toContainText(/Line \d+, column \d+/)
  await expect(textbox(page, 'Name')).toHaveValue('begun-before')

  await answerDialogs(app, file('deployment.json'), file('saved.yaml'))
  await press(page, 'Import request')
  await expect(textbox(page, 'Name')).toHaveValue('imported')
  await expect(textbox(page, 'Image URI')).toHaveValue('internal/agent:4.0')
  const notes = page.getByRole('group', { name: /Imported from deployment\.json/ })
  await expect(notes).toContainText('source_config.colour')
  await expect(notes).toContainText('id, status')
  await expect(notes).toContainText(
    'Wrong values: source_config.resource_spec.queue_cpu (500m; 0.5 is meant)',
  )
  await textbox(page, 'Queue CPU').fill('0.5')

  await openText(page, 'YAML')
  await press(page, 'Save request')
  await expect(preview(page).getByRole('status')).toContainText(
    "Secret values aren't in the file (IMPORTED_KEY)",
  )
  const saved = readFileSync(file('saved.yaml'), 'utf8')
  expect(saved).toContain('name: IMPORTED_KEY')
  expect(saved).toContain('image_uri: internal/agent:4.0')
  expect(saved).not.toContain('value-out-of-a-file')
  expect(saved).not.toContain('•')
})
