import { addEnvironment, call } from '../support/bridge'
import { expect, test } from '../support/fixtures'
import { anyDeployment, listOf, StubService } from '../support/services/stub-service'

test('a start opens the last screen: a deployment in its environment, or the list once that is gone', async ({
  start,
}) => {
  const all = [anyDeployment(0), anyDeployment(1)]
  const service = await StubService.start(listOf(() => all))
  const first = await start()
  const id = await addEnvironment(first.page, 'Production', service.baseUrl)
  await first.page.getByRole('link', { name: 'stub-1', exact: true }).click()
  await expect(first.page.getByRole('heading', { name: 'stub-1', level: 1 })).toBeVisible()
  await first.close()

  const second = await start()
  await expect(second.page.getByRole('heading', { name: 'stub-1', level: 1 })).toBeVisible()
  await second.page.reload()
  await expect(second.page.getByRole('heading', { name: 'stub-1', level: 1 })).toBeVisible()
  await second.close()

  const third = await start()
  await expect(third.page.getByRole('heading', { name: 'stub-1', level: 1 })).toBeVisible()
  expect(await call(third.page, 'environments.remove', { id, confirmedName: null })).toMatchObject({
    ok: true,
  })
  await expect(third.page.getByRole('heading', { name: 'Deployments', level: 1 })).toBeVisible()
  await third.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click()
  await expect(third.page.getByRole('heading', { name: 'Activity', level: 1 })).toBeVisible()
  await third.close()

  const fourth = await start()
  await expect(fourth.page.getByRole('heading', { name: 'Activity', level: 1 })).toBeVisible()
  await service.close()
})
