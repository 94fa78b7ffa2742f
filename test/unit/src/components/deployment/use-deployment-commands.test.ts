import { mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, h } from 'vue'
import { useDeploymentCommands } from '@/components/deployment/use-deployment-commands'
import { useAnnotationsStore } from '@/stores/annotations/annotations'
import { useAppStore } from '@/stores/application/app'
import { useCommandsStore } from '@/stores/application/commands'
import { appState, type FakeBridge } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

let bridge: FakeBridge
let commands: ReturnType<typeof useCommandsStore>
const clone = vi.fn()

beforeEach(() => {
  bridge = startApp().bridge
  commands = useCommandsStore()
  clone.mockClear()
})

function show(id: string | null, texts: { 'copy-name'?: string | null; 'copy-link'?: string | null } = {}) {
  const View = defineComponent(() => {
    useDeploymentCommands({
      id: () => id,
      name: () => 'agent',
      texts: () => texts,
      clone,
      mayClone: () => id !== null,
    })
    return () => h('div')
  })
  return mount(View)
}

it('copies the texts of the deployment', () => {
  const view = show('d', { 'copy-name': 'agent', 'copy-link': null })
  expect(commands.available()).toEqual(['copy-name', 'clone-deployment'])
  expect(commands.run('copy-name')).toBe(true)
  expect(bridge.calls.at(-1)).toMatchObject({ name: 'clipboard.write', input: { text: 'agent' } })
  expect(commands.run('copy-link')).toBe(false)
  view.unmount()
  expect(commands.available()).toEqual([])
})

it('makes it a favourite once the annotations are read', async () => {
  const view = show('d')
  expect(commands.run('toggle-favourite')).toBe(false)
  void useAnnotationsStore().open()
  await bridge.calls.find(({ name }) => name === 'annotations.list')!.answer([])
  expect(commands.run('toggle-favourite')).toBe(true)
  expect(bridge.calls.at(-1)).toMatchObject({
    name: 'annotations.save',
    input: { deploymentId: 'd', name: 'agent', change: { favourite: true } },
  })
  view.unmount()
})

it('clones nothing if nothing can be created, and does nothing without a deployment', () => {
  const view = show('d')
  expect(commands.run('clone-deployment')).toBe(true)
  const state = appState('a')
  const [one, ...others] = state.environments
  const readOnly = { ...one!, profile: { ...one!.profile!, readOnly: true } }
  useAppStore().state = { ...state, environments: [readOnly, ...others] }
  expect(commands.run('clone-deployment')).toBe(false)
  expect(clone).toHaveBeenCalledOnce()
  view.unmount()
  show(null)
  expect(commands.available()).toEqual([])
})
