import DeploymentForm from '@/features/new-deployment/DeploymentForm.vue'
import { call, on } from '@/app/api'
import { requestOf } from '@/features/new-deployment/draft/draft'
import { useAppStore } from '@/app/stores/app'
import { useCreationStore } from '@/features/new-deployment/creation'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import {
  type Deployment,
  type EnvironmentDrafts,
  type StoredDraft,
  deploymentSchema,
  secretMark,
  succeed,
} from '@contract'
import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { vi } from 'vitest'
import { defineComponent } from 'vue'
import { routerKey } from 'vue-router'
import { settled, stateOf } from './fake-bridge'

export { stateOf } from './fake-bridge'

// For tests that mock '@/app/api': answers the calls of the drafts and creation stores.

export const ready: Deployment = deploymentSchema.parse({ id: 'd-1', name: 'agent', status: 'READY' })

export const detail = (deployment: Deployment) =>
  succeed({ environmentId: 'one', deployment, json: '', fetchedAt: '' })

/** Drafts are saved on disk. */
export const disk = { storage: 'disk' as const, message: null }

const initialAnswers = () => ({
  /** What the main process has saved, by environment. */
  saved: {} as Record<string, Partial<EnvironmentDrafts>>,
  /** The answer to a creation. */
  create: (): unknown => detail(ready),
  /** The status of the created deployment. */
  status: 'READY',
})

/** How the main process answers; a test changes it. */
export const answers = initialAnswers()

/** Starts a test with new stores and the usual answers. */
export function setUpStores(): void {
  setActivePinia(createPinia())
  Object.assign(answers, initialAnswers())
  vi.mocked(on).mockReset()
  vi.mocked(call).mockReset()
  vi.mocked(call).mockImplementation(((
    name: string,
    input: { environmentId: string; draft: StoredDraft },
  ) => {
    if (name === 'deployments.create') return Promise.resolve(answers.create())
    if (name === 'deployments.status') return Promise.resolve(succeed({ status: answers.status }))
    if (name !== 'drafts.list') return Promise.resolve(succeed(disk))
    const { environmentId } = input
    const empty = { environmentId, drafts: [], currentId: null, templates: [], persistence: disk }
    return Promise.resolve(succeed({ ...empty, ...answers.saved[environmentId] }))
  }) as never)
}

/** The stores, with a draft in environment "one" that has a name and a secret. */
export function begun() {
  useAppStore().state = stateOf('one', 'two')
  const store = useDraftsStore()
  const creation = useCreationStore()
  const form = store.open('one')
  const entry = store.currentDraft(form)
  store.set(entry, ['name'], 'agent')
  store.set(entry, ['secrets', 0], { name: 'KEY', value: 's3cret' })
  vi.mocked(call).mockClear()
  const send = () => creation.create(form, entry, requestOf(entry.draft), null)
  return { store, creation, form, entry, send }
}

/** The inputs of the calls of a name so far. */
export const inputs = (name: string): Record<string, unknown>[] =>
  vi
    .mocked(call)
    .mock.calls.filter(([called]) => called === name)
    .map(([, input]) => JSON.parse(JSON.stringify(input)) as Record<string, unknown>)

/** Saves what was typed, as after a pause. */
export async function flushed(): Promise<void> {
  window.dispatchEvent(new Event('beforeunload'))
  await settled()
}

/** Emits an event of the main process about where drafts are saved. */
export function emitDraftsChanged(persistence: unknown): void {
  vi.mocked(on).mock.calls.find(([name]) => name === 'drafts.changed')![1](persistence as never)
}

/** The identifier of `savedDraft`. */
export const savedId = '00000000-0000-4000-8000-000000000001'

/** A draft as the main process lists it, with a mark in place of a secret's value. */
export const savedDraft = (name: string): StoredDraft => ({
  id: savedId,
  content: {
    entered: { name, source: 'repohost', secrets: [{ name: 'KEY', value: secretMark('value-1') }] },
    alsoSent: [],
  },
  notes: null,
  sentAt: null,
})

/** Replaces the request text, whose editor needs a browser. It has no pending changes. */
const RequestPreview = defineComponent({
  setup: (_props, { expose }) => {
    expose({ settle: () => undefined })
    return () => null
  },
})

/** Shows the form of the draft in view in environment "a". `push` replaces the router's. */
export function showForm(push = vi.fn()) {
  const form = useDraftsStore().open('a')
  const entry = useDraftsStore().currentDraft(form)
  const screen = mount(DeploymentForm, {
    props: { form, entry, mode: 'cloud', environment: useAppStore().environment! },
    global: { stubs: { RouterLink: true, RequestPreview }, provide: { [routerKey as symbol]: { push } } },
    attachTo: document.body,
  })
  return { entry, screen }
}
