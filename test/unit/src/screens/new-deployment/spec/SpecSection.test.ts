import { mount, type VueWrapper } from '@vue/test-utils'
import { afterEach, describe, expect, it } from 'vitest'
import { type Component, defineComponent, h, nextTick, reactive, ref } from 'vue'
import { provideForm } from '@/screens/new-deployment/form-context'
import { type Path, pathKey, setValueAt, valueAt } from '@/domain/text/json-path'
import KeyValueRows from '@/screens/new-deployment/spec/KeyValueRows.vue'
import NumberCell from '@/screens/new-deployment/spec/NumberCell.vue'
import SpecSection from '@/screens/new-deployment/spec/SpecSection.vue'

const spec = (...path: Path): Path => ['source_config', 'resource_spec', ...path]

let wrapper: VueWrapper | undefined
afterEach(() => wrapper?.unmount())

/** A field in its own form: what is entered in it, and its error. */
function fieldOf(component: Component, props: object, resourceSpec: object | undefined, source = 'repohost') {
  const entered = reactive({ source, source_config: { resource_spec: resourceSpec } })
  const errors = reactive(new Map<string, string>())
  const attempts = ref(0)
  const at = (path: Path) => errors.get(pathKey(path)) ?? null
  const form = defineComponent({
    setup() {
      provideForm({
        attempts: () => attempts.value,
        valueAt: (path) => valueAt(entered, path),
        set: (path, value) => setValueAt(entered, path, value),
        touch: () => {},
        errorAt: at,
        errorOf: at,
        warningAt: () => null,
        errorCount: () => errors.size,
      })
      return () => h(component, props, () => 'inside')
    },
  })
  wrapper = mount(form, { attachTo: document.body })
  return { wrapper, entered, errors, attempts }
}

/** The control that the label names. */
function control(label: string): HTMLInputElement {
  const found = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label)
  return document.getElementById(found?.htmlFor ?? '') as HTMLInputElement
}

async function type(label: string, text: string): Promise<void> {
  const input = control(label)
  input.value = text
  input.dispatchEvent(new Event('input', { bubbles: true }))
  await nextTick()
}

async function press(label: string): Promise<void> {
  const buttons = [...document.querySelectorAll('button')]
  buttons.find((one) => (one.getAttribute('aria-label') ?? one.textContent.trim()) === label)?.click()
  await nextTick()
}

describe('a number', () => {
  it('is sent as a number while its text stays as typed, and is removed when it is cleared', async () => {
    const props = { path: spec('cpu'), unit: 'cores', notes: null }
    const { entered } = fieldOf(NumberCell, props, undefined)
    await type('API CPU', '1.')
    expect(entered.source_config.resource_spec).toEqual({ cpu: 1 })
    expect(control('API CPU').value).toBe('1.')
    await type('API CPU', 'one')
    expect(entered.source_config.resource_spec).toEqual({ cpu: 'one' })
    await type('API CPU', '')
    expect(entered.source_config).toEqual({})
  })
})

describe('the rows of labels', () => {
  it('keep what is typed while two keys are the same', async () => {
    const props = { path: spec('labels'), item: 'label', addLabel: 'Add label' }
    const { entered } = fieldOf(KeyValueRows, props, { labels: { team: 'a', count: 2 } })
    await press('Add label')
    await type('Label 3 key', 'team')
    await type('Label 3 value', 'b')
    expect(control('Label 1 value').value).toBe('a')
    expect(control('Label 3 value').value).toBe('b')
    await type('Label 3 key', 'tier')
    expect(entered.source_config.resource_spec).toEqual({ labels: { team: 'a', count: 2, tier: 'b' } })
    await press('Remove label 1')
    await press('Remove label 1')
    await press('Remove label 1')
    expect(entered.source_config).toEqual({})
  })
})

describe('a part of the spec', () => {
  const props = { title: 'Volumes', summary: '1 volume', filled: false, paths: [spec('volumes')] }

  it('opens on an attempt if it has an error, even after it was closed again', async () => {
    const { wrapper: form, errors, attempts } = fieldOf(SpecSection, props, {})
    const button = form.get('button')
    expect(button.attributes('aria-expanded')).toBe('false')
    errors.set('any', 'wrong')
    await nextTick()
    expect(button.attributes('aria-expanded')).toBe('false')
    expect(button.text()).toContain('1 error')
    for (let attempt = 0; attempt < 2; attempt += 1) {
      attempts.value += 1
      await nextTick()
      expect(button.attributes('aria-expanded')).toBe('true')
      expect(form.text()).toContain('inside')
      await button.trigger('click')
      expect(button.attributes('aria-expanded')).toBe('false')
    }
    errors.clear()
    attempts.value += 1
    await nextTick()
    expect(button.attributes('aria-expanded')).toBe('false')
    // An attempt shows errors that were not shown before.
    errors.set('any', 'wrong')
    attempts.value += 1
    await nextTick()
    expect(button.attributes('aria-expanded')).toBe('true')
  })
})
