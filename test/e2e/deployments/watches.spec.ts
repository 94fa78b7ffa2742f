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
  const asked = new Promise<void>((resolve) => {
    const { answer } = stub
    stub.answer = (query, ...others) => {
      answer(query, ...others)
      if (query.has('deployment_ids')) resolve()
    }
  })
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
  // The watched deployments are asked for once, and then not for half a minute: a change that such an answer brings has a
  // notice of its own.
  await asked

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
  const watch = again.page.getByRole('button', { name: 'Watch', exact: true })
  await watch.click()
  await expect(watch).toHaveAttribute('aria-pressed', 'true')
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
