import type { ElectronApplication, Page } from '@playwright/test'
import { synchronise, synchroniseNever } from '../support/bridge'
import { chooseMore, deploymentsTable } from '../support/page/deployments'
import { expect, test } from '../support/fixtures'
import { inspectScreen } from '../support/page/accessibility'
import { anyDeployment, changingService, useEnvironment } from '../support/services/stub-service'

const noticesButton = (page: Page) => page.getByRole('button', { name: /^Notices, \d+ unread$/ })
const notices = (page: Page) => page.getByRole('region', { name: 'Notices' })

/** A deployment with revisions. */
const withRevision = (index: number, change: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...anyDeployment(index),
  latest_revision_id: 'rev-1',
  active_revision_id: 'rev-1',
  ...change,
})

/** Records the notifications that the system would show while no window has the focus. */
async function recordNotifications(app: ElectronApplication): Promise<() => Promise<string[]>> {
  await app.evaluate(({ BrowserWindow, Notification }) => {
    const shown: string[] = []
    ;(globalThis as { shown?: string[] }).shown = shown
    Notification.prototype.show = function show(this: Electron.Notification) {
      shown.push(`${this.title}: ${this.body}`)
      ;(globalThis as { latest?: Electron.Notification }).latest = this
    }
    Notification.isSupported = () => true
    for (const window of BrowserWindow.getAllWindows()) window.isFocused = () => false
  })
  return () => app.evaluate(() => (globalThis as { shown?: string[] }).shown ?? [])
}

test('a watched list reports once after each sync what is new, changed and deleted, also over a restart', async ({
  slipway,
  page,
  app,
  start,
}) => {
  const { state, stub } = await changingService(withRevision(1), withRevision(2))
  const { id } = await useEnvironment(page, { baseUrl: stub.baseUrl, name: 'Production' })
  await synchroniseNever(page)
  await expect(deploymentsTable(page).getByRole('rowheader')).toHaveCount(2)
  const shown = await recordNotifications(app)

  await chooseMore(page, 'Watch this list')
  const dialog = page.getByRole('dialog', { name: 'Watch this list' })
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('All deployments')
  await dialog.getByRole('switch', { name: 'System notifications' }).click()
  await dialog.getByRole('button', { name: 'Watch', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await synchronise(page, id)
  await noticesButton(page).click()
  await notices(page).getByRole('button', { name: 'Watches' }).click()
  await expect(notices(page).getByRole('list', { name: 'Watches' })).toContainText('2 deployments')
  await notices(page).getByRole('button', { name: 'Notices', exact: true }).click()
  // The first synchronisation makes no notice.
  await expect(notices(page)).toContainText('No notices.')
  await page.keyboard.press('Escape')
  await expect(noticesButton(page)).toBeFocused()

  state.all = [withRevision(2, { latest_revision_id: 'rev-2' }), withRevision(3)]
  await synchronise(page, id)
  await expect(noticesButton(page)).toHaveAccessibleName('Notices, 1 unread')
  // Clicking the notification only shows the notice.
  await app.evaluate(() => (globalThis as { latest?: Electron.Notification }).latest?.emit('click'))
  const entries = notices(page).getByRole('list', { name: 'Notices' })
  await expect(entries).toContainText('Production')
  await expect(entries).toContainText('stub-1Deleted: the service no longer has it')
  await expect(entries).toContainText('stub-2New revision rev-2, not active yet')
  await expect(entries).toContainText('stub-3New in All deployments')
  await inspectScreen(slipway, 'notices')
  expect(await shown()).toEqual(['3 changes in Production: stub-3, stub-2, stub-1'])

  // The same change makes no second notice, also after a restart.
  await synchronise(page, id)
  await slipway.close()
  const again = await start()
  await expect(noticesButton(again.page)).toHaveAccessibleName('Notices, 1 unread')
  await expect(deploymentsTable(again.page).getByRole('rowheader')).toHaveCount(2)
  await synchronise(again.page, id)
  state.all = [...state.all, withRevision(4)]
  await synchronise(again.page, id)
  await expect(noticesButton(again.page)).toHaveAccessibleName('Notices, 2 unread')
  await noticesButton(again.page).click()
  const list = notices(again.page).getByRole('list', { name: 'Notices' })
  await expect(list.getByRole('listitem').filter({ hasText: 'Unread' })).toHaveCount(2)
  await list.getByRole('button', { name: 'stub-4', exact: true }).click()
  await expect(again.page.getByRole('heading', { name: 'stub-4' })).toBeVisible()
  await expect(noticesButton(again.page)).toHaveAccessibleName('Notices, 1 unread')
  await noticesButton(again.page).click()
  await notices(again.page).getByRole('button', { name: 'Mark all as read' }).click()
  await expect(noticesButton(again.page)).toHaveAccessibleName('Notices, 0 unread')
  // A long notice leaves room for the others until it is expanded.
  state.all = [...state.all, ...Array.from({ length: 12 }, (_, index) => withRevision(10 + index))]
  await synchronise(again.page, id)
  const more = list.getByRole('button', { name: /^Show 6 more: stub-21$/ })
  await expect(more).toBeVisible()
  await more.press('Enter')
  await expect(list.getByRole('button', { name: 'stub-15', exact: true })).toBeFocused()
  await notices(again.page).getByRole('button', { name: 'Dismiss all' }).click()
  await expect(notices(again.page)).toContainText('No notices.')
  await notices(again.page).getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(list.getByRole('button', { name: 'stub-4', exact: true })).toBeVisible()
  await stub.close()
})

test('a watched deployment is read in the background, and never from another service', async ({ page }) => {
  const { state, stub } = await changingService(withRevision(1), withRevision(2))
  const { id, ...environment } = await useEnvironment(page, { baseUrl: stub.baseUrl, name: 'Production' })
  await deploymentsTable(page).getByRole('link', { name: 'stub-1' }).click()
  const watch = page.getByRole('button', { name: 'Watch', exact: true })
  await watch.click()
  await expect(watch).toHaveAttribute('aria-pressed', 'true')
  await noticesButton(page).click()
  await notices(page).getByRole('button', { name: 'Watches' }).click()
  await expect(notices(page).getByRole('list', { name: 'Watches' })).toContainText('Followed.')
  await page.keyboard.press('Escape')
  // Nothing on this screen reads it.
  await page.getByRole('link', { name: 'Activity' }).click()
  state.all = [withRevision(1, { latest_revision_id: 'r-2', active_revision_id: 'r-2' }), withRevision(2)]
  await expect(noticesButton(page)).toHaveAccessibleName('Notices, 1 unread', { timeout: 45_000 })
  await noticesButton(page).click()
  await expect(notices(page)).toContainText('stub-1Revision r-2 is active')

  const other = await changingService(withRevision(1, { name: 'not ours' }))
  const requested: string[] = []
  const answer = other.stub.answer
  other.stub.answer = (query, ...rest) => {
    requested.push(query.get('deployment_ids') ?? '')
    answer(query, ...rest)
  }
  await useEnvironment(page, { id, baseUrl: other.stub.baseUrl, name: environment.name })
  await notices(page).getByRole('button', { name: 'Watches' }).click()
  const watches = notices(page).getByRole('list', { name: 'Watches' })
  await expect(watches).toContainText('now leads to another service')
  // A notice doesn't link to a deployment of another service.
  await notices(page).getByRole('button', { name: 'Notices', exact: true }).click()
  await expect(notices(page)).toContainText('Of the service that this environment led to before')
  await expect(notices(page).getByRole('button', { name: 'stub-1', exact: true })).toHaveCount(0)
  await notices(page).getByRole('button', { name: 'Watches' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Deployments' }).click()
  await expect(deploymentsTable(page)).toContainText('not ours')
  expect(requested.filter((ids) => ids.includes('000000000001'))).toEqual([])
  await noticesButton(page).click()
  await notices(page).getByRole('button', { name: 'Watches' }).click()
  await watches.getByRole('button', { name: 'Watch there: stub-1' }).click()
  await expect(watches).toContainText('Followed.')
  expect(requested.filter((ids) => ids.includes('000000000001')).length).toBeGreaterThan(0)
  await stub.close()
  await other.stub.close()
})
