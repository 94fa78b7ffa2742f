import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { addEnvironment, call, secretHeader } from '../support/bridge'
import {
  addSecret,
  create,
  deploymentsNamed,
  fill,
  openForm,
  press,
  pressRare,
  review,
  switchTo,
  textbox,
} from '../support/page/creation'
import { choose, openSection, sections } from '../support/page/deployments'
import { filesWith, readState } from '../support/files'
import { alone, expect, type Slipway, test } from '../support/fixtures'
import { keychainEntries } from '../support/keychain'
import { RecordingService } from '../../support/services/recording-service'
import { inspectScreen } from '../support/page/accessibility'
import {
  StubService,
  anyDeployment,
  cloud,
  json,
  selfHosted,
  useServices,
} from '../support/services/stub-service'

const secret = 'correct-horse-battery-staple'
const draftName = 'draft-that-nobody-reads'

const secretValue = (page: Page, number = 1) => page.getByLabel(`Secret ${number} value`, { exact: true })

/** What the environments of these tests share. */
const plain = { mode: 'cloud' as const, colour: 'teal' as const, protected: false, integrations: [] }

/** Whether the page contains a text anywhere, including values of fields. */
const pageHas = (page: Page, text: string): Promise<boolean> =>
  page.evaluate((wanted) => {
    const values = [...document.querySelectorAll('input, textarea')].map(
      (field) => (field as HTMLInputElement).value,
    )
    return `${document.documentElement.outerHTML} ${values.join(' ')}`.includes(wanted)
  }, text)

/** Fills in a draft with a secret, ready to send in a cloud environment. */
async function beginDraft(page: Page, name = draftName): Promise<void> {
  await openForm(page)
  await page.getByRole('radio', { name: 'Internal image' }).check()
  await fill(page, { Name: name, 'Image URI': 'internal/agent:1' })
  await addSecret(page, 1, 'API_KEY', secret)
}

/** Closes the window as its button does, without waiting for what the page hasn't saved yet. */
const closeWindow = ({ app }: Slipway): Promise<void> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().forEach((window) => window.close()))

test('a draft survives a quit and a crash; its secret is stored, sent and never in plain text', async ({
  start,
  userData,
  services,
}) => {
  const first = await start()
  await useServices(first.page, services)
  await beginDraft(first.page)
  // The page saves the last input while the application quits, as it does after its window.
  const ended = new Promise((resolve) => first.app.process().once('exit', resolve))
  await fill(first.page, { Name: `${draftName}-2` })
  await closeWindow(first)
  await ended
  expect(await filesWith(userData, secret)).toEqual([])
  expect(await filesWith(userData, draftName)).toEqual([])

  const second = await start()
  await openForm(second.page)
  await expect(textbox(second.page, 'Name')).toHaveValue(`${draftName}-2`)
  await expect(second.page.getByRole('radio', { name: 'Internal image' })).toBeChecked()
  await expect(secretValue(second.page)).toHaveValue('••••••••')
  await expect(secretValue(second.page)).toBeDisabled()
  await expect(second.page.getByRole('region', { name: 'Request preview' })).toContainText('••••••••')
  expect(await pageHas(second.page, secret)).toBe(false)
  await fill(second.page, { 'Image URI': 'internal/agent:2' })
  // A crash loses the last input, so this waits until it is on disk.
  const key = await keychainEntries(second, userData).get('state-key')
  const onDisk = (): string => JSON.stringify(readState(userData, 'drafts', key))
  await expect.poll(onDisk).toContain('internal/agent:2')
  await second.kill()
  expect(await filesWith(userData, secret)).toEqual([])
  expect(await filesWith(userData, draftName)).toEqual([])

  const { page } = await start()
  await openForm(page)
  await expect(textbox(page, 'Image URI')).toHaveValue('internal/agent:2')
  await addSecret(page, 2, 'OTHER', 'entered now')
  await press(page, 'Replace value of secret 1')
  await expect(secretValue(page)).toHaveValue('')
  await expect(secretValue(page)).toBeFocused()
  await secretValue(page).fill(`${secret}-2`)
  await create(page, cloud)
  await expect(page.getByRole('status').filter({ hasText: 'Created' })).toContainText(draftName)
  expect(await deploymentsNamed(page, `${draftName}-2`)).toMatchObject([
    { secrets: [{ name: 'API_KEY' }, { name: 'OTHER' }] },
  ])
  await openForm(page)
  await expect(textbox(page, 'Name')).toHaveValue('')
})

test('drafts belong to environments, and are copied, moved and discarded; templates', async ({
  slipway,
  page,
  services,
}) => {
  await useServices(page, services)
  await beginDraft(page)
  await switchTo(page, selfHosted)
  await expect(textbox(page, 'Name')).toHaveValue('')
  await switchTo(page, cloud)
  await expect(textbox(page, 'Name')).toHaveValue(draftName)

  await press(page, 'Templates')
  const templates = page.getByRole('dialog', { name: 'Templates' })
  await expect(textbox(page, 'Template name')).toHaveAccessibleDescription(/secret values \(API_KEY\)/)
  await fill(page, { 'Template name': 'Agents' })
  await press(page, 'Save as template')
  await press(page, 'Rename Agents')
  await fill(page, { 'New name': 'Agent images' })
  await press(page, 'Rename')
  await expect(templates.getByRole('listitem')).toContainText('Agent images')
  await press(page, 'Use template Agent images')
  await expect(templates).toHaveCount(0)
  await expect(page.getByRole('group', { name: /From the template/ })).toContainText('API_KEY')
  await expect(textbox(page, 'Name')).toHaveValue('')
  await expect(textbox(page, 'Image URI')).toHaveValue('internal/agent:1')
  await expect(textbox(page, 'Secret 1 name')).toHaveValue('API_KEY')
  await expect(secretValue(page)).toHaveValue('')

  await choose(page, 'Draft', draftName)
  await pressRare(page, 'Copy or move draft…')
  const dialog = page.getByRole('dialog', { name: 'Copy or move draft' })
  await choose(page, 'To environment', `${selfHosted} (Self-hosted)`)
  await expect(dialog).toContainText('Internal image is allowed only in cloud environments')
  await press(page, 'Copy draft')
  await expect(page.getByRole('button', { name: `Environment: ${selfHosted}` })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'New deployment' })).toBeFocused()
  await expect(textbox(page, 'Name')).toHaveValue(draftName)
  const forbidden = page.getByRole('radio', { name: 'Internal image' })
  await expect(forbidden).toBeChecked()
  await expect(forbidden).toBeDisabled()
  const reason = page.getByText('Internal image: Only in cloud environments.')
  await expect(reason).toBeVisible()
  await expect(page.getByRole('group', { name: `From ${cloud}` })).toContainText('allowed only in cloud')
  await inspectScreen(slipway, 'new-deployment-copied')
  await press(page, 'Create deployment')
  await expect(review(page)).toHaveCount(0)
  await page.reload()
  await openForm(page)
  await expect(textbox(page, 'Name')).toHaveValue(draftName)
  await expect(page.getByText('Internal image: Only in cloud environments.')).toBeVisible()
  await expect(secretValue(page)).toHaveValue('••••••••')
  await page.getByRole('radio', { name: 'External image' }).check()
  await expect(page.getByText('Internal image: Only in cloud environments.')).toHaveCount(0)
  await fill(page, { Name: 'moved' })
  await pressRare(page, 'Copy or move draft…')
  await choose(page, 'To environment', `${cloud} (Cloud)`)
  await press(page, 'Move draft')
  await expect(page.getByRole('button', { name: `Environment: ${cloud}` })).toBeVisible()
  await expect(textbox(page, 'Name')).toHaveValue('moved')
  await switchTo(page, selfHosted)
  await expect(textbox(page, 'Name')).toHaveValue('')
  await switchTo(page, cloud)
  await pressRare(page, 'Discard draft')
  await page.getByRole('dialog', { name: 'Discard draft' }).getByRole('button', { name: 'Discard' }).click()
  await expect(textbox(page, 'Name')).not.toHaveValue('moved')
  await press(page, 'Templates')
  await expect(page.getByRole('button', { name: 'Use template Agent images' })).toBeVisible()
})

test('a stored secret goes only where it was entered for, and is entered again elsewhere', async ({
  page,
}) => {
  const one = await RecordingService.start()
  const other = await RecordingService.start()
  const [oneUrl, otherUrl] = [one, other].map(({ port }) => `http://127.0.0.1:${port}`) as [string, string]
  const arrivedAt = ({ bodies }: RecordingService): number =>
    bodies.filter((body) => body.includes(secret)).length
  const otherId = await addEnvironment(page, 'Other', otherUrl)
  const oneId = await addEnvironment(page, 'One', oneUrl)
  await expect(page.getByRole('button', { name: 'Environment: One' })).toBeVisible()
  await beginDraft(page)
  // The page gets a mark in the place of what it has entered.
  await page.reload()
  await openForm(page)
  await pressRare(page, 'Copy or move draft…')
  await choose(page, 'To environment', 'Other (Cloud)')
  await expect(page.getByRole('group', { name: 'What differs there' })).toContainText(
    '(API_KEY): enter them again in Other',
  )
  await press(page, 'Copy draft')
  await expect(page.getByRole('button', { name: 'Environment: Other' })).toBeVisible()
  await create(page, 'Other')
  await expect(secretValue(page)).toHaveAccessibleDescription(
    /Enter this value again: it was entered for another environment\./,
  )
  await expect(textbox(page, 'Name')).toHaveValue(draftName)

  // A compromised page tries again, in every way that it has.
  const listed = await call(page, 'drafts.list', { environmentId: oneId })
  if (!listed.ok) throw new Error(listed.failure.message)
  const { value } = listed.value.drafts[0]!.content.entered.secrets[0]!
  const request = {
    name: 'attack',
    source: 'internal_docker' as const,
    source_config: {},
    source_revision_config: { image_uri: 'internal/agent:1' },
    secrets: [{ name: 'HARMLESS', value }],
  }
  const send = (environmentId: string) =>
    call(page, 'deployments.create', { environmentId, request, confirmedName: null })
  const refused = { failure: { code: 'invalid-input', issues: [{ path: ['secrets', 0, 'value'] }] } }
  expect(await send(otherId)).toMatchObject(refused)
  const header = { name: 'X-Api-Key', value: 'of the attacker' }
  await call(page, 'environments.save', {
    ...plain,
    id: oneId,
    name: 'One',
    baseUrl: otherUrl,
    headers: [header],
  })
  await call(page, 'environments.select', { id: oneId })
  expect(await send(oneId)).toMatchObject(refused)
  expect([arrivedAt(one), arrivedAt(other)]).toEqual([0, 0])
  await page.reload()
  await switchTo(page, 'Other')
  await openForm(page)
  await press(page, 'Replace value of secret 1')
  await secretValue(page).fill(secret)
  await create(page, 'Other')
  await expect.poll(() => arrivedAt(other)).toBe(1)
  expect(arrivedAt(one)).toBe(0)
  for (const service of [one, other]) service.close()
})

test('the last input survives closing the window where the application stays', async ({
  slipway: first,
  app,
}) => {
  // On macOS, the application stays when its window is closed, and opens another when it is activated.
  await app.evaluate(({ app: main }) => {
    main.removeAllListeners('window-all-closed')
    main.on('window-all-closed', () => undefined)
  })
  await beginDraft(first.page)
  await fill(first.page, { Name: `${draftName}-2` })
  await closeWindow(first)
  await expect.poll(() => app.windows().length, { timeout: 20_000 }).toBe(0)
  const opened = app.waitForEvent('window')
  await app.evaluate(({ app: main }) => main.emit('activate'))
  const page = await opened
  await openForm(page)
  await expect(textbox(page, 'Name')).toHaveValue(`${draftName}-2`)
  await expect(secretValue(page)).toHaveValue('••••••••')
  // Its window is another one than that of other tests.
  await first.kill()
})

const answered = 'value-of-a-secret-7f3a'

/** A value of a secret, which must not appear anywhere. */
const nowhere = new RegExp(answered)

/** What must not appear in failures and in the log: that, and the header that was sent. */
const notInFailures = new RegExp(`${answered}|${secretHeader}`)

/** Where a service may put values of secrets, and which of their names may be shown. */
const telling = {
  ...anyDeployment(1),
  id: '00000000-0000-4000-8000-000000000001',
  name: 'telling',
  secrets: { AT_THE_TOP: answered },
  Secrets: [{ name: 'IN_CAPITALS', value: answered }],
  source_config: {
    repo_url: 'https://git.example.com/team/app',
    secrets: [[{ name: 'IN_A_LIST', value: answered }]],
    resource_spec: {
      cpu: 1,
      secrets: answered,
      labels: { inner: { secrets: [{ name: 'DEEP', value: answered }] } },
      sidecars: [{ name: 'proxy', env: [{ name: 'IN_A_VARIABLE', value: answered }] }],
      annotations: {
        applied: JSON.stringify({ containers: [{ env: [{ name: 'APPLIED', value: answered }] }] }),
      },
    },
  },
  source_revision_config: { repo_ref: 'main', env_secrets: { IN_REVISION: answered } },
  secret_references: [{ name: 'REF', secret_name: 'app', secret_key: 'key', value: answered }],
  revisions: [[{ spec: [{ secrets: [{ name: 'IN_REVISIONS', value: answered, plain: answered }] }] }]],
  applied: JSON.stringify({ secrets: [{ name: 'IN_A_TEXT', value: answered }] }),
  client_secret: answered,
  image_version: `built with ${secretHeader}`,
}

alone.describe('with the most verbose log', () => {
  // The most verbose level.
  alone.use({ variables: { SLIPWAY_LOG_LEVEL: 'debug' } })

  alone(
    'no value of a secret that a service answers, wherever it stands, leaves the main process, nor one that was sent or a header in a failure',
    async ({ slipway, page, app, userData }) => {
      test.setTimeout(120_000)
      slipway.expectErrors(/Failed to load resource/)
      const listed = json({ resources: [telling], offset: 1 })
      const service = await StubService.start(listed)
      const environmentId = await addEnvironment(page, 'Telling', service.baseUrl)
      await page.getByRole('table', { name: 'Deployments' }).getByRole('link', { name: 'telling' }).click()
      await page.getByRole('button', { name: 'Copy JSON', exact: true }).click()
      const clipboard = () => app.evaluate(({ clipboard }) => clipboard.readText())
      await expect.poll(clipboard).toContain('"name": "telling"')
      const copied = await clipboard()
      expect(copied).not.toMatch(nowhere)
      for (const name of ['AT_THE_TOP', 'IN_CAPITALS', 'DEEP', 'IN_REVISION', 'IN_REVISIONS', 'IN_A_TEXT']) {
        expect(copied, 'names stay').toContain(name)
      }
      await expect(page.getByRole('list', { name: 'Secrets, by name' })).toContainText('AT_THE_TOP')
      for (const section of sections) {
        await openSection(page, section)
        expect(await page.content(), section).not.toMatch(nowhere)
      }

      const deployment = { environmentId, id: telling.id }
      const query = { limit: 20, offset: 0 }
      const live = [
        await call(page, 'deployments.get', deployment),
        await call(page, 'deployments.page', { environmentId, query }),
      ]
      // With letters that no random identifier contains.
      const sent = 'sent/with a creation xqzw'
      const refusal = json({ detail: `rejected: ${sent}, and once more ${sent}` }, 403)
      service.answer = (query, response, headers) =>
        (response.req.method === 'POST' ? refusal : listed)(query, response, headers)
      const created = await call(page, 'deployments.create', {
        environmentId,
        request: {
          name: 'echoed',
          source: 'internal_docker',
          source_config: {},
          source_revision_config: { image_uri: 'registry.example.com/agent:1' },
          secrets: [{ name: 'S', value: sent }],
        },
        confirmedName: null,
      })
      expect(created).toMatchObject({
        ok: false,
        failure: { serviceWords: 'rejected: •••, and once more •••' },
      })
      const journal = JSON.stringify(await call(page, 'journal.list', { limit: 5 }))
      expect(journal).toContain('rejected: •••')
      expect(journal).not.toMatch(/xqzw/)
      service.answer = json({ detail: JSON.stringify(telling) }, 400)
      const refused = await call(page, 'deployments.page', { environmentId, query })
      await service.close()
      const cached = await call(page, 'deployments.get', deployment)
      expect(cached).toMatchObject({ ok: true, value: { fromCache: {}, deployment: { name: 'telling' } } })
      expect(JSON.stringify([live, cached])).not.toMatch(nowhere)
      expect(JSON.stringify(refused)).not.toMatch(notInFailures)

      await slipway.close()
      const logs = join(userData, 'logs')
      for (const file of readdirSync(logs))
        expect(readFileSync(join(logs, file), 'utf8')).not.toMatch(notInFailures)
      expect(slipway.output).not.toMatch(notInFailures)
    },
  )
})
