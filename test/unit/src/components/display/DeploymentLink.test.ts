import { type CreationEntry, deploymentSchema, summarise } from '@contract'
import { mount, type VueWrapper } from '@vue/test-utils'
import { beforeEach, expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import { type Component, defineComponent, h, nextTick } from 'vue'
import UnconfirmedCreation from '@/components/deployment/unconfirmed-creation/UnconfirmedCreation.vue'
import ActivityRow from '@/screens/activity/ActivityRow.vue'
import DeploymentsTable from '@/screens/deployments/table/DeploymentsTable.vue'
import CreatedNotice from '@/components/display/CreatedNotice.vue'
import { creationEntry } from '../../../../support/builders/creation-entry'
import { startApp } from '../../../../support/page/start-app'

/** Identifiers that can be in a path, and one that can't, as earlier versions stored them. */
const identifiers = { plain: 'd-1', odd: 'a/b?c#d%2F ü🙂', broken: 'd-\ud800-1' }

const deployment = (id: string) => ({ ...deploymentSchema.parse({ id: 'd', name: 'agent' }), id })

const attempt = (id: string): CreationEntry =>
  creationEntry({
    deploymentId: id,
    lookup: {
      at: '2026-11-21T10:00:02.000Z',
      verdict: 'found',
      deployment: { id, createdAt: null, status: 'READY' },
      differences: [],
      reason: null,
    },
  })

/** All components that link to deployments, with one of this identifier. */
const shown: Record<string, (id: string) => [Component, Record<string, unknown>]> = {
  'the list': (id) => [
    DeploymentsTable,
    { deployments: [{ ...summarise(deployment('d')), id }], loading: false },
  ],
  'an entry of the activity': (id) => [ActivityRow, { entry: attempt(id), open: false, detailsId: '' }],
  'what was found of an unconfirmed creation': (id) => [
    UnconfirmedCreation,
    { entry: attempt(id), busy: false },
  ],
  'what was just created': (id) => [
    CreatedNotice,
    { created: { deployment: deployment(id), accountKey: 'a 0', following: false, found: false } },
  ],
}

beforeEach(() => {
  startApp()
})

/** The list is drawn once its room is measured. */
async function mounted(what: string, id: string): Promise<VueWrapper> {
  const [component, props] = shown[what]!(id)
  const nothing = { render: () => null }
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: '/deployments/:id', component: nothing },
      { path: '/', component: nothing },
    ],
  })
  const wrapper = mount(defineComponent({ render: () => h(component, props) }), {
    global: { plugins: [router] },
  })
  await nextTick()
  return wrapper
}

it.each(Object.keys(shown))('%s links to a deployment by its identifier', async (what) => {
  for (const id of [identifiers.plain, identifiers.odd]) {
    const link = (await mounted(what, id)).get('a')
    expect(link.text()).toContain('agent')
    expect(link.attributes('href')).toMatch(/^#?\/deployments\//)
    expect(decodeURIComponent(link.attributes('href')!.split('/').at(-1)!)).toBe(id)
  }
})

it.each(Object.keys(shown))('%s shows a deployment that has no path without a link', async (what) => {
  const drawn = await mounted(what, identifiers.broken)
  expect(drawn.text()).toContain('agent')
  expect(drawn.findAll('a')).toEqual([])
})
