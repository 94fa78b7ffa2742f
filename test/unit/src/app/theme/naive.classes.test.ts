import { readdirSync, readFileSync } from 'node:fs'
import { flushPromises, mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { h } from 'vue'
import { NButton } from 'naive-ui'
import DialogFrame from '@/ui/widgets/DialogFrame.vue'
import TextField from '@/ui/form/TextField.vue'
import { provideForm } from '@/features/new-deployment/use-draft-form'
import NumberCell from '@/features/new-deployment/form/NumberCell.vue'

/** The selectors of our styles that name a class of naive-ui, as they apply in the page. */
const selectors = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(?:css|vue)$/.test(file))
  .flatMap((file) => readFileSync(`src/${file}`, 'utf8').match(/^[^{}@;<>]*\.n-[^{};]*(?=\{)/gm) ?? [])
  .flatMap((rule) => rule.replace(/\/\*[\s\S]*?\*\//g, '').split(','))
  .filter((selector) => selector.includes('.n-'))
  .map((selector) =>
    selector
      .replace(/:deep\(([^)]*)\)/g, '$1')
      .replace(/:focus-(?:visible|within)|::(?:before|placeholder)/g, '')
      .trim(),
  )

/** The components whose styles depend on naive-ui's classes, each in the state that they need. */
function mountAll(): void {
  const form = {
    setup() {
      provideForm({
        attempts: () => 0,
        valueAt: () => 1,
        set: () => {},
        touch: () => {},
        errors: () => [],
        warnings: () => [],
      })
      const path = ['source_config', 'resource_spec', 'cpu']
      return () => h(NumberCell, { path, unit: 'cores' })
    },
  }
  mount(
    () => [
      h('div', { class: 'is-dense' }, h('div', { class: 'page-header-actions' }, h(NButton))),
      h('div', { class: 'selection panel-actions' }, h(NButton, null, { icon: () => h('i') })),
      h(TextField, { label: 'Name', modelValue: '', placeholder: 'e.g. support-agent' }),
      h(TextField, { label: 'Image version', modelValue: '', class: 'filter' }),
      h('div', { class: 'has-status' }, h(TextField, { label: 'Name', modelValue: '', class: 'is-short' })),
      h(TextField, { label: 'Note', modelValue: '', type: 'textarea' }),
      h(form),
      h(DialogFrame, { title: 'Review' }, { footer: () => h(NButton) }),
    ],
    { attachTo: document.body },
  )
}

// naive-ui doesn't promise these names: a new version may change them.
describe('classes of naive-ui', () => {
  it('exist where our styles override their look', async () => {
    mountAll()
    await flushPromises()
    expect(selectors).not.toHaveLength(0)
    expect(selectors.filter((selector) => !document.querySelector(selector))).toEqual([])
  })
})
