import { mount } from '@vue/test-utils'
import { afterEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import DialogFrame from '@/components/dialog/DialogFrame.vue'

let wrapper: ReturnType<typeof mount> | undefined

afterEach(() => wrapper?.unmount())

/** An open dialog with an element to leave it. */
async function opened() {
  const mounted = mount(DialogFrame, {
    props: {
      title: 'Review',
      show: true,
      'onUpdate:show': (show: boolean) => mounted.setProps({ show }),
    },
    slots: { default: '<input>' },
    attachTo: document.body,
  })
  wrapper = mounted
  await nextTick()
  const escape = async (): Promise<void> => {
    document
      .querySelector('input')!
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape', bubbles: true }))
    await nextTick()
  }
  return { mounted, escape }
}

it('is left by Escape and by its button', async () => {
  const { mounted, escape } = await opened()
  await escape()
  expect(mounted.props('show')).toBe(false)
  await mounted.setProps({ show: true })
  await nextTick()
  document.querySelector<HTMLButtonElement>('[aria-label="Close"]')!.click()
  await nextTick()
  expect(mounted.props('show')).toBe(false)
})

it('takes no key that was pressed before it opened', async () => {
  const seen: string[] = []
  await opened()
  const field = document.querySelector('input')!
  const send = (type: 'keydown' | 'keyup', init: KeyboardEventInit): void => {
    field.dispatchEvent(new KeyboardEvent(type, { bubbles: true, cancelable: true, ...init }))
  }
  field.addEventListener('keydown', () => seen.push('down'))
  field.addEventListener('keyup', () => seen.push('up'))

  send('keydown', { code: 'Enter', key: 'Enter', repeat: true })
  send('keyup', { code: 'Enter', key: 'Enter' })
  expect(seen).toEqual([])

  send('keydown', { code: 'Enter', key: 'Enter' })
  send('keydown', { code: 'Enter', key: 'Enter', repeat: true })
  send('keyup', { code: 'Enter', key: 'Enter' })
  expect(seen).toEqual(['down', 'down', 'up'])
})
