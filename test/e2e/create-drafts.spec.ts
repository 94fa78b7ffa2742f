import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { addSecret, create, deploymentsNamed, fill, openForm, press, textbox } from './support/creation'
import { expect, test } from './support/fixtures'

const cloud = 'Sandbox (cloud)'
const secret = 'correct-horse-battery-staple'
const draftName = 'draft-that-nobody-reads'

const secretValue = (page: Page, number = 1) => page.getByLabel(`Secret ${number} value`, { exact: true })

/** The files under a folder whose content has a text, in UTF-8 or UTF-16. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) found.push(...(await filesWith(path, text)))
    if (!entry.isFile()) continue
    const content = await readFile(path).catch(() => Buffer.alloc(0))
    if (content.includes(text) || content.includes(Buffer.from(text, 'utf16le'))) found.push(path)
  }
  return found
}

/** Whether the page has a text anywhere, in the values of fields too. */
const pageHas = (page: Page, text: string): Promise<boolean> =>
  page.evaluate((wanted) => {
    const values = [...document.querySelectorAll('input, textarea')].map(
      (field) => (field as HTMLInputElement).value,
    )
    return `${document.documentElement.outerHTML} ${values.join(' ')}`.includes(wanted)
  }, text)

/** Begins a draft with a secret that can be sent in a cloud environment. */
async function beginDraft(page: Page, name = draftName): Promise<void> {
  await openForm(page)
  await page.getByRole('radio', { name: 'Internal image' }).check()
  await fill(page, { Name: name, 'Image URI': 'internal/agent:1' })
  await addSecret(page, 1, 'API_KEY', secret)
}

test('a draft outlives a quit and a crash; its secret is kept, sent and nowhere in the clear', async ({
  start,
  userData,
}) => {
  test.setTimeout(180_000)
  const first = await start()
  await beginDraft(first.page)
  // What was typed last is told while the application quits.
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
  // At most the last second is lost: this waits until the draft is on disk, and loses the rest.
  const before = await readFile(join(userData, 'drafts.sealed'))
  await expect
    .poll(async () => (await readFile(join(userData, 'drafts.sealed'))).equals(before), { timeout: 20_000 })
    .toBe(false)
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
  await expect(textbox(page, 'Name')).toHaveValue('')
})
