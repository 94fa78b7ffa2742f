import { mount } from '@vue/test-utils'
import { afterEach, describe, expect, it } from 'vitest'
import { nextTick } from 'vue'
import CodeEditor from '@/components/code/CodeEditor.vue'

let wrapper: ReturnType<typeof mount> | undefined

afterEach(() => wrapper?.unmount())

function editor(props: object = {}) {
  const mounted = mount(CodeEditor, {
    props: {
      label: 'Volume',
      language: 'yaml' as const,
      modelValue: 'name: data\n',
      'onUpdate:modelValue': (modelValue: string) => mounted.setProps({ modelValue }),
      ...props,
    },
    attachTo: document.body,
  })
  wrapper = mounted
  return { mounted, textbox: mounted.get('[role=textbox]') }
}

describe('a code editor', () => {
  it('is a multi-line textbox named exactly by its label', () => {
    const { textbox } = editor({ hint: 'As Kubernetes has it', required: true })
    const label = document.getElementById(textbox.attributes('aria-labelledby')!)
    expect(label?.textContent).toBe('Volume')
    expect(textbox.attributes('aria-multiline')).toBe('true')
    expect(textbox.attributes('aria-invalid')).toBeUndefined()
    expect(textbox.text()).toContain('name: data')
  })

  it('says what is wrong and where, to screen readers as well', async () => {
    const { mounted, textbox } = editor()
    await mounted.setProps({ diagnostics: [{ line: 1, column: 7, message: 'No such volume.' }] })
    await nextTick()
    expect(textbox.attributes('aria-invalid')).toBe('true')
    const list = document.getElementById(textbox.attributes('aria-describedby')!)
    expect(list?.textContent).toContain('Line 1, column 7: No such volume.')
    expect(mounted.find('.cm-lintRange-error').text()).toBe('data')
    await mounted.setProps({ diagnostics: [] })
    expect(textbox.attributes('aria-invalid')).toBeUndefined()
    expect(mounted.find('.cm-lintRange-error').exists()).toBe(false)
  })

  it('shows a text set from outside, and is marked as read-only', async () => {
    const { mounted, textbox } = editor({ readOnly: true })
    expect(textbox.attributes('aria-readonly')).toBe('true')
    await mounted.setProps({ modelValue: 'name: cache\n' })
    expect(textbox.text()).toContain('name: cache')
    expect(mounted.emitted('update:modelValue')).toBeUndefined()
  })
})
