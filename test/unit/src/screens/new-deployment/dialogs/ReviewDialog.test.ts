import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, nextTick } from 'vue'
import { routerKey } from 'vue-router'
import DeploymentForm from '@/screens/new-deployment/DeploymentForm.vue'
import { useAppStore } from '@/stores/app'
import { useDraftsStore } from '@/stores/drafts'
import { appState, type FakeBridge, installFakeBridge, settled } from '../../../../../support/fake-bridge'

let bridge: FakeBridge

beforeEach(() => {
  setActivePinia(createPinia())
  bridge = installFakeBridge()
  push.mockClear()
  useAppStore().state = appState('a')
})

/** Replaces the request text, whose editor needs a browser. It has no pending changes. */
const RequestPreview = defineComponent({
  setup: (_props, { expose }) => {
    expose({ settle: () => undefined })
    return () => null
  },
})

const dialog = (): HTMLElement | null => document.querySelector('[role=dialog]')
const button = (text: string): HTMLButtonElement =>
  [...dialog()!.querySelectorAll('button')].find((one) => one.textContent.includes(text))!

const push = vi.fn()

/** The form of a draft that can be created, with its review open. */
async function openReview() {
  const store = useDraftsStore()
  const form = store.open('a', 'cloud')
  const entry = store.currentDraft(form)
  store.set(entry, ['name'], 'agent')
  store.set(entry, ['source'], 'internal_docker')
  store.set(entry, ['source_revision_config', 'image_uri'], 'internal/agent:1')
  const screen = mount(DeploymentForm, {
    props: { form, entry, mode: 'cloud', environment: useAppStore().environment! },
    global: { stubs: { RouterLink: true, RequestPreview }, provide: { [routerKey as symbol]: { push } } },
    attachTo: document.body,
  })
  await screen.get('form').trigger('submit')
  await settled()
  return screen
}

const sent = () => bridge.calls.filter(({ name }) => name === 'deployments.create')

it('is left while the creation is under way, which goes on and is told on the form', async () => {
  const screen = await openReview()
  dialog()!
    .querySelector('form')!
    .dispatchEvent(new Event('submit', { cancelable: true }))
  await nextTick()
  expect(sent()).toHaveLength(1)
  expect(dialog()!.textContent).toContain('You can close this')
  // A second press sends nothing, and the button keeps the focus.
  expect(button('Create in').disabled).toBe(false)
  dialog()!
    .querySelector('form')!
    .dispatchEvent(new Event('submit', { cancelable: true }))
  button('Back to the form').click()
  await nextTick()
  expect(screen.findComponent({ name: 'ReviewDialog' }).props('show')).toBe(false)
  expect(sent()).toHaveLength(1)
  expect(sent()[0]!.cancelled).toBe(false)
  // The form doesn't open it again meanwhile.
  await screen.get('form').trigger('submit')
  await settled()
  expect(screen.findComponent({ name: 'ReviewDialog' }).props('show')).toBe(false)
  await sent()[0]!.fail({ message: 'The service refused it.' })
  await nextTick()
  expect(screen.get('[role=alert]').text()).toContain('The service refused it.')
  screen.unmount()
})

it.each([
  ['waits for it', true],
  ['closed the review', false],
])('leads whoever %s to the created deployment: %s', async (_who, isWaiting) => {
  const screen = await openReview()
  dialog()!
    .querySelector('form')!
    .dispatchEvent(new Event('submit', { cancelable: true }))
  await nextTick()
  if (!isWaiting) button('Back to the form').click()
  await nextTick()
  await sent()[0]!.answer({
    environmentId: 'a',
    deployment: { id: 'd-1', name: 'agent', status: 'READY' },
    json: '{}',
    shortened: false,
    fetchedAt: '2026-11-21T00:00:00.000Z',
  })
  await settled()
  expect(push.mock.calls).toEqual(isWaiting ? [['/deployments/d-1']] : [])
  screen.unmount()
})
