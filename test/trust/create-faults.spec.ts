import type { CreationEntry } from '@contract'
import type { Page } from '@playwright/test'
import fc from 'fast-check'
import { anyFault } from '../faults/cases'
import { type Fault, FaultProxy } from '../faults/fault-proxy'
import { ScriptedService } from '../faults/scripted-service'
import { call } from '../e2e/support/bridge'
import { seed } from '../support/properties/runs'
import { fill, goTo, openForm, press, review, textbox } from '../e2e/support/page/creation'
import { expect, test } from '../e2e/support/fixtures'
import { useEnvironment } from '../e2e/support/services/stub-service'

/** How many creations are tried. */
const cases = 20

/** Roughly how many bytes pass in each direction without faults. */
const lengths = { request: 800, answer: 700 }

/** The faults after which a client of plain HTTP can still find out what happened. test/faults tries the others too. */
const anyHonestFault = anyFault(lengths).filter(({ kind }) => ['cut', 'replay', 'reply'].includes(kind))

/** The results on the screen Activity. */
const results: Record<CreationEntry['state'], string> = {
  sending: 'Sending',
  created: 'Created',
  refused: 'Rejected',
  unconfirmed: 'Unconfirmed',
  dismissed: 'Dismissed',
}

// An attempt may use up its time limit, also on a busy machine.
const ended = { timeout: 60_000 }

/** Fills in the form and sends it, until the attempt has ended. */
async function send(page: Page, name: string): Promise<void> {
  await openForm(page)
  await expect(async () => {
    await page.getByRole('radio', { name: 'Internal image' }).check()
    await expect(textbox(page, 'Image URI')).toBeVisible({ timeout: 500 })
  }).toPass(ended)
  await fill(page, { Name: name, 'Image URI': 'internal/agent:1' })
  await press(page, 'Create deployment')
  await review(page).getByRole('button', { name: 'Create in Fragile' }).click()
  await expect.poll(async () => (await attemptAt(page, name))?.state ?? 'sending', ended).not.toBe('sending')
  // The review closes by itself unless the service refused.
  await expect(async () => {
    if (await review(page).isVisible()) await page.keyboard.press('Escape')
    await expect(review(page)).toHaveCount(0, { timeout: 500 })
  }).toPass()
}

async function attemptAt(page: Page, name: string): Promise<CreationEntry | undefined> {
  const listed = await call(page, 'journal.list', { limit: 100 })
  if (!listed.ok) throw new Error(listed.failure.message)
  return listed.value.find(
    (entry): entry is CreationEntry => entry.kind === 'creation' && entry.name === name,
  )
}

test('screen, journal and service agree on what was created, whatever the network did', async ({
  slipway,
  page,
}) => {
  const service = await ScriptedService.start('plain', null)
  const proxy = await FaultProxy.start(service.port)
  try {
    await useEnvironment(page, { name: 'Fragile', baseUrl: `http://127.0.0.1:${proxy.port}` })
    const faults = fc.sample(anyHonestFault, { numRuns: cases, seed })
    for (const [number, fault] of faults.entries()) {
      const name = `fault-${number}`
      await test.step(`${name}: ${JSON.stringify(fault)}`, async () => {
        spoilNextPost(proxy, fault)
        await send(page, name)
        await goTo(page, 'Activity')
        await expectAgreement(page, service, name)
      })
    }
    expect(proxy.posts).toBe(cases)
    test.info().annotations.push({ type: 'tried', description: String(cases) })
    slipway.expectErrors(/Failed to load resource/)
  } finally {
    await proxy.close()
    await service.close()
  }
})

function spoilNextPost(proxy: FaultProxy, fault: Fault): void {
  let spoilt = false
  proxy.plan = ({ head }) => {
    if (spoilt || !head.startsWith('POST ')) return []
    spoilt = true
    return [fault]
  }
}

/** Compares the screen Activity's entry of a name with the journal, and the journal with the service. */
async function expectAgreement(page: Page, service: ScriptedService, name: string): Promise<void> {
  const row = page.getByRole('row').filter({ hasText: new RegExp(`${name}\\b`) })
  const notice = page.getByRole('group', { name: `Unconfirmed creation: ${name}`, exact: true })
  // A background lookup may settle it in between, so they may disagree for a moment.
  await expect(async () => {
    const { state, lookup } = (await attemptAt(page, name))!
    await expect(row.first()).toContainText(results[state], { timeout: 1_000 })
    // The notice stays after a lookup has found what was made.
    await expect(notice).toHaveCount(state === 'unconfirmed' || lookup ? 1 : 0, { timeout: 1_000 })
  }).toPass(ended)
  const made = service.deployments.filter((deployment) => deployment.name === name)
  // A lookup finds what was made, and then empties the form.
  if (made.length > 0) {
    await expect.poll(async () => (await attemptAt(page, name))!.state, ended).not.toBe('unconfirmed')
  }
  const { state, deploymentId } = (await attemptAt(page, name))!
  if (state === 'created') expect(made.map(({ id }) => id)).toContain(deploymentId)
  if (state === 'refused') expect(made).toEqual([])
}
