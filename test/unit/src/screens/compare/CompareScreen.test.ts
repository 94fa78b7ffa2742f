import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import CompareScreen from '@/screens/compare/CompareScreen.vue'
import { appState, settled } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

const query = { left: 'deployment/a/1', right: 'deployment/a/2' }
vi.mock('vue-router', () => ({
  useRouter: () => ({ replace: () => undefined }),
  useRoute: () => ({ query }),
}))

const detail = (id: string, more: object = {}) => {
  const deployment = { id, name: `agent ${id}`, source: 'repohost' }
  const fetchedAt = new Date(Date.now() - 3 * 86_400_000).toISOString()
  return { environmentId: 'a', deployment, json: JSON.stringify(deployment), fetchedAt, ...more }
}

it('says how old the cached copy is that is compared, and which error the service answers instead, once', async () => {
  const { bridge, app } = startApp()
  void app.start()
  await bridge.newest('app.state').answer(appState('a'))
  const screen = mount(CompareScreen)
  const error = { code: 'service-error' as const, status: 500, message: 'The service is broken.' }
  const side = (name: string): string => screen.find(`[aria-label="${name} side"]`).text()
  const [left, right] = bridge.callsOf('deployments.get')
  await left!.fail(error)
  await bridge.newest('comparison.deployment').answer(detail('1', { fromCache: { goneAt: null } }))
  await right!.answer(detail('2'))
  await settled()
  expect(side('Left')).toContain('From the cache, as of 3 days ago')
  expect(side('Left')).toContain(error.message)
  expect(side('Right')).toContain('From the service')
  expect(side('Right')).not.toContain(error.message)

  void screen
    .findAll('button')
    .find((button) => button.text() === 'Refresh')!
    .trigger('click')
  const again = bridge.callsOf('deployments.get').slice(2)
  for (const call of again) await call.fail(error)
  for (const [index, call] of bridge.callsOf('comparison.deployment').slice(1).entries())
    await call.answer(detail(String(index + 1), { fromCache: { goneAt: null } }))
  await settled()
  expect(screen.text().split(error.message)).toHaveLength(2)
  expect(screen.text()).toContain('Both sides are from the cache.')
  screen.unmount()
})
