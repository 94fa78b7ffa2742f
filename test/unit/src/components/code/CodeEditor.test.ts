import { Text } from '@codemirror/state'
import { mount } from '@vue/test-utils'
import { afterEach, describe, expect, it } from 'vitest'
import { nextTick } from 'vue'
import CodeEditor from '@/components/code/CodeEditor.vue'
import { diagnosticOf, replacement } from '@/components/code/text-problems'

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

  it('leaves Tab to the page', () => {
    const { textbox } = editor()
    const tab = new KeyboardEvent('keydown', { key: 'Tab', bubbles: true, cancelable: true })
    textbox.element.dispatchEvent(tab)
    expect(tab.defaultPrevented).toBe(false)
  })
})

describe('a text set from outside', () => {
  it.each([
    ['name: a\nsource: b', 'name: abc\nsource: b', { from: 7, to: 7, insert: 'bc' }],
    ['aaa', 'aa', { from: 2, to: 3, insert: '' }],
    ['aa', 'aaa', { from: 2, to: 2, insert: 'a' }],
    ['', 'x', { from: 0, to: 0, insert: 'x' }],
    ['same', 'same', null],
  ])('%j becomes %j by one replacement', (before, after, change) => {
    expect(replacement(before, after)).toEqual(change)
  })
})

describe('the mark of a problem', () => {
  const text = Text.of(['{ "na me": 12, ', '  "b": [] }'])

  it.each([
    [{ line: 1, column: 3 }, '"na me"'],
    [{ line: 1, column: 12 }, '12'],
    [{ line: 2, column: 3 }, '"b"'],
    [{ line: 2, column: 8 }, '['],
    [{ line: 1, column: 99 }, ' '],
    [{ line: 99, column: 99 }, '}'],
  ])('at %j is under %j', (place, marked) => {
    const { from, to } = diagnosticOf(text, { ...place, message: 'Wrong.' })
    expect(text.sliceString(from, to)).toBe(marked)
  })

  it('of an empty text is at its start', () => {
    expect(diagnosticOf(Text.of(['']), { line: 1, column: 1, message: 'Wrong.' })).toMatchObject({
      from: 0,
      to: 0,
    })
  })
})
