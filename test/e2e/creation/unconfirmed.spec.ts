import type { CreationEntry } from '@contract'
import type { Locator, Page } from '@playwright/test'
import { expectAccessible, inspectScreen } from '../support/page/accessibility'
import { call } from '../support/bridge'
import {
  addSecret,
  deploymentsNamed,
  fill,
  goTo,
  openForm,
  press,
  review,
  textbox,
} from '../support/page/creation'
import { expect, test as base } from '../support/fixtures'
import { LosingProxy } from '../../support/services/losing-proxy'
import {
  type Answer,
  anyDeployment,
  json,
  listOf,
  StubService,
  useEnvironment,
} from '../support/services/stub-service'

// The application looks a creation up after 1, 3 and 10 s. A busy machine may need all three.
const found = { timeout: 40_000 }

const test = base.extend<{ between: LosingProxy }>({
  between: async ({ services }, use) => {
    const between = await LosingProxy.start(services.cloud.url)
    await use(between)
    await between.close()
  },
})

const notice = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: `Unconfirmed creation: ${name}`, exact: true })
const created = (page: Page): Locator => page.getByRole('status').filter({ hasText: /^\s*Created / })

async function fillIn(page: Page, name: string): Promise<void> {
  await openForm(page)
  await page.getByRole('radio', { name: 'Internal image' }).check()
  await fill(page, { Name: name, 'Image URI': 'internal/agent:1' })
}

/** Fills in enough besides the image to distinguish the deployment from somebody else's. */
const fillMore = (page: Page): Promise<void> => fill(page, { 'API min scale': '1', 'API max scale': '2' })

/** Fills in the form and sends it, until nothing waits for the answer. */
async function send(page: Page, name: string, environment = 'Fragile'): Promise<void> {
  await fillIn(page, name)
  await fillMore(page)
  await confirm(page, environment)
}

async function confirm(page: Page, environment = 'Fragile'): Promise<void> {
  await press(page, 'Create deployment')
  await review(page)
    .getByRole('button', { name: `Create in ${environment}` })
    .click()
}

/** The journal's attempts at a name, oldest first. */
async function attemptsAt(page: Page, name: string): Promise<CreationEntry[]> {
  const listed = await call(page, 'journal.list', { limit: 100 })
  if (!listed.ok) throw new Error(listed.failure.message)
  return listed.value
    .filter((entry): entry is CreationEntry => entry.kind === 'creation' && entry.name === name)
    .reverse()
}

/** Expects one deployment of this name, which the only attempt in the journal created. */
async function expectCreatedOnce(page: Page, name: string): Promise<void> {
  await expect
    .poll(async () => (await attemptsAt(page, name)).map(({ state }) => state), found)
    .toEqual(['created'])
  const [deployment, ...others] = await deploymentsNamed(page, name)
  expect(others).toEqual([])
  expect(await attemptsAt(page, name)).toMatchObject([
    { deploymentId: deployment?.id, lookup: { verdict: 'found' } },
  ])
}

/** Expects no deployment of this name, and that the journal says so. */
async function expectNotThere(page: Page, name: string): Promise<void> {
  await expect(notice(page, name)).toContainText("hasn't appeared yet", found)
  expect(await deploymentsNamed(page, name)).toEqual([])
  expect(await attemptsAt(page, name)).toMatchObject([
    { state: 'unconfirmed', lookup: { verdict: 'not-found' } },
  ])
}

async function useFragile(page: Page, between: LosingProxy): Promise<void> {
  await useEnvironment(page, { name: 'Fragile', baseUrl: between.url })
}

// At other points, and with other transports: test/faults.
test('an answer that is lost: one deployment, or none where the service never read the request', async ({
  slipway,
  page,
  between,
}) => {
  await useFragile(page, between)
  for (const point of ['before', 'after'] as const) {
    const name = `lost-${point}`
    between.losing = point
    between.creations = 0
    await send(page, name)
    await expect(review(page)).toHaveCount(0, found)
    if (point === 'before') {
      await expectNotThere(page, name)
      await expect(page.getByRole('alert')).toHaveCount(0)
      await inspectScreen(slipway, 'new-deployment-lost')
      await sendAgain(page, name)
    } else {
      await expect(created(page)).toContainText(name, found)
      await expect(created(page)).toContainText('Slipway found it in the list')
      await expectCreatedOnce(page, name)
    }
    expect(between.creations).toBe(point === 'before' ? 2 : 1)
  }

  await goTo(page, 'Activity')
  await expect(notice(page, 'lost-before')).toBeVisible()
})

/** Sends a request again that the service never read, with the notice's button. */
async function sendAgain(page: Page, name: string): Promise<void> {
  await notice(page, name).getByRole('button', { name: 'Check again' }).click()
  await notice(page, name).getByRole('button', { name: 'Send again' }).click()
  const confirm = review(page).getByRole('button', { name: 'Create in Fragile' })
  await expect(review(page).getByRole('group', { name: 'Earlier attempt' })).toContainText(
    "hasn't appeared yet",
  )
  await expect(confirm).toBeDisabled()
  await expectAccessible(page, 'the review of what is sent again')
  await review(page)
    .getByRole('checkbox', { name: /Send it again/ })
    .click()
  await confirm.click()
  await expect(created(page)).toContainText(name)
  const [deployment, ...others] = await deploymentsNamed(page, name)
  expect(others).toEqual([])
  // The second attempt created it; the first one still has not.
  await goTo(page, 'New deployment')
  await page.getByRole('button', { name: `"${name}" was created by a later attempt.` }).click()
  await press(page, 'Check again')
  await expect
    .poll(() => attemptsAt(page, name))
    .toMatchObject([
      { state: 'unconfirmed', lookup: { verdict: 'not-found' } },
      { state: 'created', deploymentId: deployment?.id, lookup: null },
    ])
}

// At other points: test/faults.
test('after a crash before the answer, the next start finds out what happened', async ({
  start,
  between,
}) => {
  const first = await start()
  await useFragile(first.page, between)
  const reached = between.holdAfterCommit()
  await send(first.page, 'crashed')
  await reached
  await first.kill()

  const { page } = await start()
  await openForm(page)
  // The draft is restored, and known to be the one that was sent.
  await expect(created(page)).toContainText('Slipway found it in the list', found)
  await expect(page.getByRole('combobox', { name: 'Draft' })).toHaveCount(0)
  await expect(textbox(page, 'Name')).toHaveValue('')
  await expectCreatedOnce(page, 'crashed')
  await created(page).getByRole('link', { name: 'crashed' }).click()
  await expect(page.getByRole('heading', { name: 'crashed', level: 1 })).toBeVisible()
  expect(between.creations).toBe(1)
})

test("what differs from what was sent, is somebody else's or was doubled is settled by who sent it alone", async ({
  slipway,
  page,
  between,
}) => {
  await useFragile(page, between)

  between.losing = 'after'
  between.rewrite = (body) => body.replace('internal/agent:1', 'internal/agent:1@sha256')
  await send(page, 'changed-on-the-way')
  const own = notice(page, 'changed-on-the-way')
  await expect(own).toContainText('differs from what was sent', found)
  await expect(own).toContainText('Differs in: Image URI')
  await own.getByRole('button', { name: 'This one is mine' }).click()
  await expect(created(page)).toContainText('changed-on-the-way')
  await expect(own).toHaveCount(0)
  await expect(textbox(page, 'Name')).toHaveValue('')
  const [deployment] = await deploymentsNamed(page, 'changed-on-the-way')
  expect(await attemptsAt(page, 'changed-on-the-way')).toMatchObject([
    { state: 'created', deploymentId: deployment?.id, lookup: { verdict: 'different' } },
  ])
  expect(between.creations).toBe(1)
  between.rewrite = (body) => body

  // A colleague's, created before the request arrives, with another secret.
  between.losing = 'before'
  const theirs = new Promise<void>((resolve, reject) => {
    between.onLost = (sent) => void between.createAsColleague(sent, 'THEIR_KEY').then(resolve, reject)
  })
  await fillIn(page, 'theirs')
  await fillMore(page)
  await addSecret(page, 1, 'A_KEY', 'a-value')
  await confirm(page)
  await theirs
  await expect(notice(page, 'theirs')).toContainText('differs from what was sent', found)
  await expect(notice(page, 'theirs')).toContainText('Differs in: Secrets')
  expect(await attemptsAt(page, 'theirs')).toMatchObject([{ state: 'unconfirmed' }])

  between.losing = 'after'
  between.doubling = 'twice'
  await send(page, 'twice')
  const warning = notice(page, 'twice')
  await expect(warning).toContainText(
    '2 deployments of this name are there, both with what was sent: it may have been created twice.',
    found,
  )
  await expect(warning.getByRole('link')).toHaveCount(2)
  await inspectScreen(slipway, 'new-deployment-lost-twice')
  const ids = (await deploymentsNamed(page, 'twice')).map(({ id }) => id)
  expect(ids).toHaveLength(2)
  const double = ids.find((id) => id.startsWith('double-of-'))!
  await warning.getByRole('button', { name: 'This one is mine: double-of-' }).click()
  await expect(created(page)).toContainText('twice', found)
  await expect(warning).toContainText('Check whether you need the other one.')
  expect(await attemptsAt(page, 'twice')).toMatchObject([{ state: 'created', deploymentId: double }])

  await goTo(page, 'Activity')
  await expect(warning.getByRole('link')).toHaveCount(2)
  await warning.getByRole('button', { name: 'Close this notice' }).click()
  await page
    .getByRole('row')
    .filter({ hasText: 'Created twice' })
    .getByRole('button', { name: 'Details' })
    .click()
  const links = page.getByRole('table', { name: 'Activity' }).getByRole('link', { name: /^Open twice/ })
  await expect(links).toHaveCount(2)
  await links.last().click()
  await expect(page.getByRole('heading', { name: 'twice', level: 1 })).toBeVisible()
})

test('a conflict is no refusal unless that is sure, another name can be sent, and no button is pressed twice', async ({
  page,
  between,
}) => {
  await useFragile(page, between)

  between.repeating = true
  await send(page, 'repeated')
  await expect(created(page)).toContainText('repeated', found)
  expect(between.creations).toBe(1)
  const [deployment, ...others] = await deploymentsNamed(page, 'repeated')
  expect(others).toEqual([])
  expect(await attemptsAt(page, 'repeated')).toMatchObject([
    { state: 'created', deploymentId: deployment?.id },
  ])

  // If the name was taken before, the same answer proves nothing, and the operator dismisses it.
  between.repeating = false
  await fillIn(page, 'repeated')
  await fill(page, { 'Image URI': 'internal/agent:2' })
  await press(page, 'Create deployment')
  await review(page).getByRole('checkbox', { name: 'Create anyway' }).click()
  await review(page).getByRole('button', { name: 'Create in Fragile' }).click()
  const own = notice(page, 'repeated')
  await expect(own).toContainText('"repeated" is taken.', found)
  await expect(own).toContainText('409')
  expect((await attemptsAt(page, 'repeated')).map(({ state }) => state)).toEqual(['created', 'unconfirmed'])
  await own.getByRole('button', { name: 'Dismiss' }).click()
  await expect(own).toHaveCount(0)
  expect((await attemptsAt(page, 'repeated')).map(({ state }) => state)).toEqual(['created', 'dismissed'])

  between.refusing = 409
  await send(page, 'held')
  await expect(notice(page, 'held')).toContainText("is taken, but isn't in the list", found)
  await expect(notice(page, 'held')).toContainText('Service response: "Not like this."')
  expect(await attemptsAt(page, 'held')).toMatchObject([
    { state: 'unconfirmed', lookup: { verdict: 'not-found' } },
  ])
  await fill(page, { Name: 'held-not' })
  await confirm(page)
  await expect(created(page)).toContainText('held-not', found)
  expect(await deploymentsNamed(page, 'held')).toEqual([])
  expect(await deploymentsNamed(page, 'held-not')).toHaveLength(1)
  between.creations = 0

  await fillIn(page, 'pressed-twice')
  await press(page, 'Create deployment')
  await review(page).getByRole('button', { name: 'Create in Fragile' }).dblclick()
  await expect(created(page)).toContainText('pressed-twice')

  await fillIn(page, 'entered-and-clicked')
  await press(page, 'Create deployment')
  const button = review(page).getByRole('button', { name: 'Create in Fragile' })
  await button.focus()
  // Both in one task of the page, before anything can be disabled.
  await button.evaluate((one: HTMLButtonElement) => {
    one.click()
    one.form?.requestSubmit()
    one.click()
  })
  await expect(created(page)).toContainText('entered-and-clicked')
  expect(between.creations).toBe(2)
})

test('a creation that is answered with little more than an identifier or a place is settled by it', async ({
  page,
}) => {
  const all = [anyDeployment(1)]
  let answers: Answer = json({})
  const service = await StubService.start((...asked) =>
    (asked[1].req.method === 'POST' ? answers : listOf(() => all))(...asked),
  )
  try {
    await useEnvironment(page, { name: 'Fragile', baseUrl: service.baseUrl })
    for (const [index, answer] of [
      (id: string): Answer => json({ id }),
      (id: string): Answer => json({ deployment: { deployment_id: id } }, 202),
      (id: string): Answer =>
        (_query, response) =>
          response.writeHead(201, { location: `/v2/deployments/${id}` }).end(),
    ].entries()) {
      const made = { ...anyDeployment(index + 2), name: `thin-${index}`, source: 'internal_docker' }
      answers = (...asked) => {
        all.push(made)
        answer(String(anyDeployment(index + 2)['id']))(...asked)
      }
      await fillIn(page, made.name)
      await confirm(page)
      await expect(created(page)).toContainText(made.name)
      await expect(page.getByRole('group', { name: /^Unconfirmed creation/ })).toHaveCount(0)
    }
  } finally {
    await service.close()
  }
})
