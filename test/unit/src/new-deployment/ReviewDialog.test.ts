import { type CreationEntry, failure } from '@contract'
import { mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { announcement } from '@/app/window'
import { requestOf } from '@/features/new-deployment/draft/draft'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import ReviewDialog from '@/features/new-deployment/ReviewDialog.vue'
import { useAppStore } from '@/app/stores/app'
import { showForm } from '../../../support/page/draft-stores'
import { creationEntry } from '../../../support/builders/creation-entry'
import { summaryOf } from '../../../support/builders/deployment-answers'
import { type FakeBridge, settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge

beforeEach(() => {
  bridge = startApp().bridge
  push.mockClear()
})

const dialog = (): HTMLElement | null => document.querySelector('[role=dialog]')
const button = (text: string): HTMLButtonElement =>
  [...dialog()!.querySelectorAll('button')].find((one) => one.textContent.includes(text))!

const push = vi.fn()

/** The form of a draft that can be created, with its review open. */
async function openReview() {
  const store = useDraftsStore()
  const entry = store.currentDraft(store.open('a'))
  store.set(entry, ['name'], 'agent')
  store.set(entry, ['source'], 'internal_docker')
  store.set(entry, ['source_revision_config', 'image_uri'], 'internal/agent:1')
  const { screen } = showForm(push)
  await screen.get('form').trigger('submit')
  await settled()
  return screen
}

/** The calls that look for the name in the cache. */
const asksForName = () =>
  bridge.callsOf('cache.page').filter(({ input }) => JSON.stringify(input).includes('"agent"'))

const sent = () => bridge.callsOf('deployments.create')

it('can be closed during the creation, which continues and is shown on the form', async () => {
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
  expect(screen.findComponent(ReviewDialog).exists()).toBe(false)
  expect(sent()).toHaveLength(1)
  expect(sent()[0]!.cancelled).toBe(false)
  // The form doesn't reopen it meanwhile.
  await screen.get('form').trigger('submit')
  await settled()
  expect(screen.findComponent(ReviewDialog).exists()).toBe(false)
  await sent()[0]!.fail({ message: 'The service refused it.' })
  await nextTick()
  expect(screen.get('[role=alert]').text()).toContain('The service refused it.')
})

it('asks for consent to a warning that appears while it is open', async () => {
  await openReview()
  expect(button('Create in').disabled).toBe(false)
  const cached = { ...summaryOf('1', { name: 'agent' }), gone_at: null }
  await vi.waitFor(() => expect(asksForName()).toHaveLength(1))
  await asksForName()[0]!.answer({ deployments: [cached] })
  await nextTick()
  expect(dialog()!.textContent).toContain('A deployment with this name is in the cache.')
  expect(button('Create in').disabled).toBe(true)
  expect(announcement.value).toContain('A deployment with this name is in the cache.')
})

it('keeps the consent to an attempt while looking it up finds the same, and asks anew once it does not', async () => {
  const lost = failure('connection-lost', 'The connection to the service was lost.', { sent: 'maybe' })
  const lookedUp = (at: string, count: number): CreationEntry =>
    creationEntry({
      state: 'unconfirmed',
      failure: lost,
      lookup: { at, verdict: 'not-found', deployment: null, differences: [], reason: null, count },
    })
  const store = useDraftsStore()
  const { draft } = store.currentDraft(store.open('a'))
  const review = mount(ReviewDialog, {
    props: {
      request: requestOf(draft),
      findings: [],
      environment: useAppStore().environment!,
      earlier: lookedUp('2026-11-30T12:00:00.000Z', 0),
      sending: false,
    },
    attachTo: document.body,
  })
  await settled()
  expect(button('Create in').disabled).toBe(true)
  dialog()!.querySelector<HTMLInputElement>('input[type=checkbox]')!.click()
  await nextTick()
  expect(button('Create in').disabled).toBe(false)
  await review.setProps({ earlier: lookedUp('2026-11-30T12:00:10.000Z', 0) })
  expect(button('Create in').disabled).toBe(false)
  await review.setProps({ earlier: lookedUp('2026-11-30T12:00:20.000Z', 1) })
  expect(button('Create in').disabled).toBe(true)
})

it('says what is built, how and when', async () => {
  const store = useDraftsStore()
  const entry = store.currentDraft(store.open('a'))
  store.set(entry, ['name'], 'agent')
  store.set(entry, ['source'], 'repohost')
  store.set(entry, ['source_config'], {
    integration_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
    repo_url: 'https://git.example.com/agent',
    build_on_push: true,
    install_command: 'npm ci',
  })
  store.set(entry, ['source_revision_config'], { repo_ref: 'main', graph_config_path: 'apps/agent.json' })
  const { screen } = showForm(push)
  await screen.get('form').trigger('submit')
  await settled()
  const facts = [...dialog()!.querySelectorAll('dt')].map((term) => [
    term.textContent,
    term.nextElementSibling?.textContent,
  ])
  expect(Object.fromEntries(facts)).toMatchObject({
    Runs: 'https://git.example.com/agent · main',
    'Config path': 'apps/agent.json',
    'Build on push': 'Yes',
    'Install command': 'npm ci',
  })
})
