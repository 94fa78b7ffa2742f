import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { type AppState, draftLimits, isSecretMark } from '@contract'
import { maxRunning } from '../../../electron/main/ipc/running-calls'
import { addEnvironment, call } from '../support/bridge'
import {
  addSecret,
  callBridge,
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
import { choose } from '../support/page/deployments'
import { filesWith } from '../support/files/files-with'
import { alone, expect, Keyring, type Slipway, test } from '../support/fixtures'
import { readState } from '../support/files/state-file'
import { stateKey } from '../support/keychain/state-key'
import { keychainEntries } from '../support/keychain/keychain-entries'
import { answerQuestions } from '../support/page/questions'
import { RecordingService } from '../support/services/recording-service'
import { inspectScreen } from '../support/page/screens'
import { cloud, selfHosted, useServices } from '../support/services/own-services'
import { json, StubService, useEnvironment } from '../support/services/stub-service'

const secret = 'correct-horse-battery-staple'
const draftName = 'draft-that-nobody-reads'

const secretValue = (page: Page, number = 1) => page.getByLabel(`Secret ${number} value`, { exact: true })

/** What the environments of these tests share. */
const plain = { mode: 'cloud' as const, colour: 'teal' as const, protected: false, integrations: [] }

const draftsNotice = (page: Page) => page.getByRole('region', { name: 'Drafts' })

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

test('a draft survives a quit and a crash; its secret is stored, sent and never in plain text', async ({
  start,
  userData,
  services,
}) => {
  const first = await start()
  await useServices(first.page, services)
  await beginDraft(first.page)
  // The page saves the last input while the application quits.
  await fill(first.page, { Name: `${draftName}-2` })
  await first.close()
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

test('drafts belong to environments; templates and a copy to the other mode', async ({ start, services }) => {
  const first = await start()
  const { page } = first
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
  await inspectScreen(first, 'new-deployment-templates')
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
  await inspectScreen(first, 'new-deployment-copy')
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
  await inspectScreen(first, 'new-deployment-copied')
  await press(page, 'Create deployment')
  await expect(review(page)).toHaveCount(0)
  await first.close()

  const second = await start()
  await openForm(second.page)
  await expect(textbox(second.page, 'Name')).toHaveValue(draftName)
  await expect(second.page.getByText('Internal image: Only in cloud environments.')).toBeVisible()
  await expect(secretValue(second.page)).toHaveValue('••••••••')
  await inspectScreen(second, 'new-deployment-restored')
  await second.page.getByRole('radio', { name: 'External image' }).check()
  await expect(second.page.getByText('Internal image: Only in cloud environments.')).toHaveCount(0)
  await switchTo(second.page, cloud)
  await press(second.page, 'Templates')
  await expect(second.page.getByRole('button', { name: 'Use template Agent images' })).toBeVisible()
})

test('a moved draft is in the other environment and no longer in the first', async ({
  slipway,
  page,
  services,
}) => {
  await useServices(page, services)
  await beginDraft(page)
  await pressRare(page, 'Copy or move draft…')
  await choose(page, 'To environment', `${selfHosted} (Self-hosted)`)
  await press(page, 'Move draft')
  await expect(page.getByRole('button', { name: `Environment: ${selfHosted}` })).toBeVisible()
  await expect(textbox(page, 'Name')).toHaveValue(draftName)
  await expect(secretValue(page)).toHaveValue(secret)
  await expect(page.getByRole('radio', { name: 'Internal image' })).toBeChecked()
  await expect(page.getByText('Internal image: Only in cloud environments.')).toBeVisible()
  await inspectScreen(slipway, 'new-deployment-moved')
  await switchTo(page, cloud)
  await expect(textbox(page, 'Name')).toHaveValue('')
  await expect(page.getByRole('combobox', { name: 'Draft' })).toHaveCount(0)
  await switchTo(page, selfHosted)
  await expect(textbox(page, 'Name')).toHaveValue(draftName)
})

test('a stored secret goes only where it was entered for, unless the operator agrees outside the page', async ({
  start,
}) => {
  const one = await RecordingService.start()
  const other = await RecordingService.start()
  const [oneUrl, otherUrl] = [one, other].map(({ port }) => `http://127.0.0.1:${port}`) as [string, string]
  const arrivedAt = ({ bodies }: RecordingService): number =>
    bodies.filter((body) => body.includes(secret)).length
  const first = await start()
  const otherId = await addEnvironment(first.page, 'Other', otherUrl)
  const oneId = await addEnvironment(first.page, 'One', oneUrl)
  await expect(first.page.getByRole('button', { name: 'Environment: One' })).toBeVisible()
  await beginDraft(first.page)

  // Also in the session in which it was entered, once it is saved.
  let questions = await answerQuestions(first.app, 'Cancel')
  const marks = async (): Promise<boolean[]> => {
    const stored = await call(first.page, 'drafts.list', { environmentId: oneId })
    if (!stored.ok) throw new Error(stored.failure.message)
    return stored.value.drafts.flatMap(({ content }) =>
      content.entered.secrets.map(({ value }) => isSecretMark(value)),
    )
  }
  await expect.poll(marks).toEqual([true])
  const lead = (baseUrl: string) =>
    call(first.page, 'environments.save', { ...plain, id: oneId, name: 'One', baseUrl, headers: [] })
  expect(await lead(otherUrl)).toMatchObject({ ok: true })
  await create(first.page, 'One')
  await expect(secretValue(first.page)).toHaveAccessibleDescription(
    /the base URL now leads to another server/,
  )
  expect((await questions())[0]).toContain(`Entered for: ${oneUrl}`)
  expect(arrivedAt(other)).toBe(0)
  expect(await lead(oneUrl)).toMatchObject({ ok: true })
  await first.close()

  const second = await start()
  const { page } = second
  questions = await answerQuestions(second.app, 'Cancel')
  await openForm(page)
  await pressRare(page, 'Copy or move draft…')
  await choose(page, 'To environment', 'Other (Cloud)')
  await expect(page.getByRole('group', { name: 'What differs there' })).toContainText(
    'copied (API_KEY). Slipway asks you before it sends them to Other',
  )
  await press(page, 'Copy draft')
  await expect(page.getByRole('button', { name: 'Environment: Other' })).toBeVisible()
  await create(page, 'Other')
  const [question] = await questions()
  expect(question).toContain(`Send 1 stored secret to ${otherUrl}?`)
  expect(question).toContain(
    `Entered for: ${oneUrl}\nEnvironment: One\nDifferent now: environment, server\nSecrets: “API_KEY”`,
  )
  await expect(secretValue(page)).toHaveAccessibleDescription(
    /Enter this value again: it was entered for another environment\./,
  )
  await expect(textbox(page, 'Name')).toHaveValue(draftName)
  await inspectScreen(second, 'new-deployment-secret-of-another')

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
  expect(await questions(), 'a no holds for that destination').toHaveLength(1)
  const header = { name: 'X-Api-Key', value: 'of the attacker' }
  await call(page, 'environments.save', {
    ...plain,
    id: oneId,
    name: 'One',
    baseUrl: otherUrl,
    headers: [header],
  })
  await call(page, 'environments.select', { id: oneId })
  // Another destination: whether the operator is asked depends on how long ago they said no.
  expect(await send(oneId)).toMatchObject(refused)
  expect([arrivedAt(one), arrivedAt(other)]).toEqual([0, 0])
  await second.close()

  const third = await start()
  questions = await answerQuestions(third.app, 'Send secrets')
  await switchTo(third.page, 'Other')
  await openForm(third.page)
  await create(third.page, 'Other')
  await expect.poll(() => arrivedAt(other)).toBe(1)
  expect(await questions()).toHaveLength(1)
  expect(arrivedAt(one)).toBe(0)
  for (const service of [one, other]) service.close()
})

test('one question covers all drafts of an edited environment, including those too large to be stored', async ({
  start,
}) => {
  const service = await RecordingService.start()
  const baseUrl = `http://127.0.0.1:${service.port}`
  const { app, page } = await start()
  const environmentId = await addEnvironment(page, 'One', baseUrl)
  const save = async (name: string, notes = ''): Promise<string> => {
    const secrets = [{ name: name.toUpperCase(), value: `${secret}-${name}` }]
    const content = { entered: { name, secrets }, notes }
    const draft = { id: randomUUID(), content, notes: null, sentAt: null }
    const saved = await call(page, 'drafts.save', { environmentId, draft, current: false })
    if (!saved.ok) throw new Error(saved.failure.message)
    expect(saved.value.persistence.storage).toBe(notes === '' ? 'disk' : 'session')
    return saved.value.marks[0]!
  }
  const marks = [
    await save('first'),
    await save('second'),
    await save('large', 'x'.repeat(draftLimits.bytes)),
  ]
  const header = { name: 'X-Api-Key', value: 'of another account' }
  await call(page, 'environments.save', {
    ...plain,
    id: environmentId,
    name: 'One',
    baseUrl,
    headers: [header],
  })

  const questions = await answerQuestions(app, 'Send secrets')
  for (const [index, value] of marks.entries()) {
    const request = {
      name: `agent-${index}`,
      source: 'internal_docker' as const,
      source_config: {},
      source_revision_config: { image_uri: 'internal/agent:1' },
      secrets: [{ name: 'KEY', value }],
    }
    await call(page, 'deployments.create', { environmentId, request, confirmedName: null })
  }
  expect(await questions()).toEqual([
    expect.stringMatching(
      /Different now: request headers\nSecrets: “FIRST”[^]*Other drafts use 2 stored secrets [^]*Secrets: “SECOND”, “LARGE”/,
    ),
  ])
  const sent = service.bodies.flatMap((body) => /correct-horse-battery-staple-[a-z]+/.exec(body)?.[0] ?? [])
  expect(sent).toEqual(['first', 'second', 'large'].map((name) => `${secret}-${name}`))
  service.close()
})

/** Closes the window as its button does, without waiting for what the page hasn't saved yet. */
const closeWindow = ({ app }: Slipway): Promise<void> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().forEach((window) => window.close()))

test('the last input survives closing the window, whether the application quits or not', async ({
  start,
}) => {
  const first = await start()
  const { app } = first
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

  await app.evaluate(({ app: main }) => {
    main.removeAllListeners('window-all-closed')
    main.on('window-all-closed', () => main.quit())
  })
  const ended = new Promise((resolve) => app.process().once('exit', resolve))
  await fill(page, { Name: `${draftName}-3` })
  await closeWindow(first)
  await ended
  const second = await start()
  await openForm(second.page)
  await expect(textbox(second.page, 'Name')).toHaveValue(`${draftName}-3`)
})

test('input that a busy main process refuses is reported as unsaved, and saved once it accepts calls again', async ({
  page,
}) => {
  const waiting: (() => void)[] = []
  const service = await StubService.start((...args) => {
    waiting.push(() => json({ resources: [], offset: 0 })(...args))
  })
  await useEnvironment(page, { baseUrl: service.baseUrl })
  await openForm(page)
  // As many calls as a window may have running. None is answered.
  const { value: state } = JSON.parse(
    await page.evaluate(() => window.slipway.calls['app.state']('state', {})),
  ) as { value: AppState }
  await page.evaluate(
    ([environmentId, max]) => {
      for (let index = 0; index < max; index += 1)
        void window.slipway.calls['deployments.page'](`flood-${index}`, { environmentId, query: {} })
    },
    [state.currentEnvironmentId, maxRunning] as const,
  )
  await textbox(page, 'Name').fill('typed-meanwhile')
  await expect(draftsNotice(page)).toContainText(
    'Draft "typed-meanwhile" in Stub: The latest changes aren\'t saved yet. Too many operations are running',
  )
  service.answer = json({ resources: [], offset: 0 })
  for (const answer of waiting) answer()
  await expect(draftsNotice(page)).toHaveCount(0)
  expect(JSON.stringify(await callBridge(page, 'drafts.list', {}))).toContain('typed-meanwhile')
  await service.close()
})

alone.describe('the keychain', () => {
  alone.use({ keyringState: 'unlocked' })
  alone.skip(!Keyring.controllable, 'The states of the keychain can be set on Linux only.')

  alone(
    'locked at the start: nothing is overwritten, and drafts appear once it is unlocked',
    async ({ start, keyring, userData }) => {
      const first = await start()
      await beginDraft(first.page)
      await first.close()
      const key = await stateKey(userData, keyring)
      const before = readState(userData, 'drafts', key)
      await keyring.lock()

      const { page } = await start()
      await openForm(page)
      await expect(draftsNotice(page)).toContainText('The keychain is locked, or')
      await expect(textbox(page, 'Name')).toHaveValue('')
      await fill(page, { Name: 'typed-meanwhile' })
      const retry = draftsNotice(page).getByRole('button', { name: 'Retry' })
      await retry.click()
      await expect(retry).toBeEnabled()
      await expect(draftsNotice(page)).toContainText('The keychain is locked.')
      expect(readState(userData, 'drafts', key)).toEqual(before)

      await keyring.unlock()
      await retry.click()
      await expect(draftsNotice(page)).toHaveCount(0)
      await expect(textbox(page, 'Name')).toHaveValue('typed-meanwhile')
      await choose(page, 'Draft', draftName)
      await expect(textbox(page, 'Name')).toHaveValue(draftName)
      await expect(secretValue(page)).toHaveValue('••••••••')
      expect(await filesWith(userData, 'typed-meanwhile')).toEqual([])
    },
  )

  alone.describe('missing', () => {
    alone.use({ keyringState: 'absent' })

    alone(
      'the window says that drafts last for the session only, and nothing is written',
      async ({ start, userData }) => {
        const first = await start()
        await beginDraft(first.page)
        await expect(draftsNotice(first.page)).toContainText('only until Slipway closes')
        await inspectScreen(first, 'new-deployment-no-keychain')
        await first.close()
        expect(await filesWith(userData, secret)).toEqual([])
        expect(await filesWith(userData, draftName)).toEqual([])
        const { page } = await start()
        await openForm(page)
        await expect(textbox(page, 'Name')).toHaveValue('')
      },
    )
  })
})
