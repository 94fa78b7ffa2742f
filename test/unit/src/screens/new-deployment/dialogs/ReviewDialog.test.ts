import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it } from 'vitest'
import { defineComponent, nextTick } from 'vue'
import DeploymentForm from '@/screens/new-deployment/DeploymentForm.vue'
import { useAppStore } from '@/stores/app'
import { useDraftsStore } from '@/stores/drafts'
import { appState, type FakeBridge, installFakeBridge, settled } from '../../../../../support/fake-bridge'

let bridge: FakeBridge

beforeEach(() => {
  setActivePinia(createPinia())
  bridge = installFakeBridge()
  useAppStore().state = appState('a')
})

/** Stands for the request text, whose editor needs a browser; nothing is pending in it. */
const RequestPreview = defineComponent({
  setup: (_props, { expose }) => {
    expose({ settle: () => undefined })
    return () => null
  },
})

const dialog = (): HTMLElement | null => document.querySelector('[role=dialog]')
const button = (text: string): HTMLButtonElement =>
  [...dialog()!.querySelectorAll('button')].find((one) => one.textContent.includes(text))!

it('is left while the creation is under way, which goes on and is told on the form', async () => {
  const store = useDraftsStore()
  const form = store.open('a', 'cloud')
  const entry = store.currentDraft(form)
  store.set(entry, ['name'], 'agent')
  store.set(entry, ['source'], 'internal_docker')
  store.set(entry, ['source_revision_config', 'image_uri'], 'internal/agent:1')
  const screen = mount(DeploymentForm, {
    props: { form, entry, mode: 'cloud', environment: useAppStore().environment! },
    global: { stubs: { RouterLink: true, RequestPreview } },
    attachTo: document.body,
  })
  await screen.get('form').trigger('submit')
  await settled()
  dialog()!
    .querySelector('form')!
    .dispatchEvent(new Event('submit', { cancelable: true }))
  await nextTick()
  const sent = () => bridge.calls.filter(({ name }) => name === 'deployments.create')
  expect(sent()).toHaveLength(1)
  expect(dialog()!.textContent).toContain('You can close this')
  // A second press sends nothing, and the button keeps the focus that it has.
  expect(button('Create in').disabled).toBe(false)
  dialog()!
    .querySelector('form')!
    .dispatchEvent(new Event('submit', { cancelable: true }))
  button('Back to the form').click()
  await nextTick()
  expect(screen.findComponent({ name: 'ReviewDialog' }).props('show')).toBe(false)
  expect(sent()).toHaveLength(1)
  expect(sent()[0]!.cancelled).toBe(false)
  // Nor does the form open it again meanwhile.
  await screen.get('form').trigger('submit')
  await settled()
  expect(screen.findComponent({ name: 'ReviewDialog' }).props('show')).toBe(false)
  await sent()[0]!.fail({ message: 'The service refused it.' })
  await nextTick()
  expect(screen.get('[role=alert]').text()).toContain('The service refused it.')
  screen.unmount()
})
