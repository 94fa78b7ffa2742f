import { alone as test, expect } from '../support/fixtures'

test('starts with the main navigation and quits on request', async ({ slipway, page }) => {
  const navigation = page.getByRole('navigation', { name: 'Main' })
  for (const name of [
    'Overview',
    'Board',
    'Deployments',
    'Repositories',
    'New deployment',
    'Environments',
    'Activity',
  ]) {
    await expect(navigation.getByRole('link', { name })).toBeVisible()
  }
  await slipway.close()
  expect(slipway.errors).toEqual([])
})
