import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { nextTick } from 'vue'
import EnvironmentRows from '@/features/overview/EnvironmentRows.vue'
import { useOverviewStore } from '@/features/overview/overview'
import { stateOf } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

it('draws environments some at a time, and always the current one', async () => {
  const ids = Array.from({ length: 69 }, (_, index) => `environment ${index + 1}`)
  startApp().app.state = { ...stateOf('environment 0', ...ids), currentEnvironmentId: 'environment 65' }
  const table = mount(EnvironmentRows, { attachTo: document.body })
  const keys = (): (string | undefined)[] =>
    table.findAll<HTMLElement>('tbody tr').map(({ element }) => element.dataset.key)
  expect(keys()).toHaveLength(11)
  expect(keys().at(-1)).toBe('environment 65')
  const more = table.findAll('button').at(-1)!
  expect(more.text()).toBe('Show 50 of 59 more')
  await more.trigger('click')
  await nextTick()
  expect(keys().at(59)).toBe('environment 59')
  expect(keys()).toHaveLength(61)
  more.element.focus()
  await more.trigger('click')
  await nextTick()
  expect(keys()).toHaveLength(70)
  // The button that had the focus is gone.
  expect(document.activeElement?.closest('tr')?.dataset.key).toBe('environment 60')
})

it('says since when a service answers errors, and what is wrong with a cache', async () => {
  const { app, bridge } = startApp()
  app.state = stateOf('a', 'b', 'c', 'd')
  const overview = useOverviewStore()
  overview.isOpen = true
  overview.load()
  const days = (count: number): string => new Date(Date.now() + count * 86_400_000).toISOString()
  const cached = {
    state: 'cached' as const,
    cache: { synchronisedAt: days(-500), deployments: 0, gone: 0 },
    counts: [],
    others: { deployments: 0, statuses: 0 },
  }
  await bridge.newest('overview.read').answer(
    (
      [
        ['a', 'failing', days(-2.5)],
        ['b', 'unreached', days(-500)],
        ['c', 'reached', days(-500)],
        ['d', 'unreached', days(0)],
      ] as const
    ).map(([id, state, since]) => ({
      environmentId: id,
      reach: { state, since },
      problem: id === 'c' ? 'The disk is full.' : null,
      content: cached,
    })),
  )
  const table = mount(EnvironmentRows)
  const cells = (row: number): string[] =>
    table
      .findAll('tbody tr')
      .at(row)!
      .findAll('td')
      .map((cell) => cell.text().replace(/\s+/g, ' '))
  expect(cells(0)[0]).toBe('Answers errorssince 2d')
  expect(cells(1)[0]).toBe('Not reachedsince 1y')
  expect(cells(2)[0]).toBe('Reached 1y')
  expect(cells(3)[0]).toBe('Not reached now')
  expect(cells(2)[1]).toMatch(/^Synced 1y/)
  // Otherwise its changes would seem to be none.
  expect([cells(1)[2], cells(2)[2]]).toEqual(['', 'The disk is full.'])
})
