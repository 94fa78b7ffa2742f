import { mount } from '@vue/test-utils'
import { afterEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import DialogFrame from '@/components/DialogFrame.vue'

let wrapper: ReturnType<typeof mount> | undefined

afterEach(() => wrapper?.unmount())

/** An open dialog, with how to leave it. */
async function opened(busy: boolean) {
  const mounted = mount(DialogFrame, {
    props: {
      title: 'Review',
      show: true,
      busy,
      'onUpdate:show': (show: boolean) => mounted.setProps({ show }),
    },
    slots: { default: '<input>' },
    attachTo: document.body,
  })
  wrapper = mounted
  await nextTick()
  const close = document.querySelector<HTMLButtonElement>('[aria-label="Close"]')!
  const escape = async (): Promise<void> => {
    document
      .querySelector('input')!
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape', bubbles: true }))
    await nextTick()
  }
  return { mounted, close, escape }
}

it('is left by Escape and by its button', async () => {
  const { mounted, escape } = await opened(false)
  await escape()
  expect(mounted.props('show')).toBe(false)
  await mounted.setProps({ show: true })
  await nextTick()
  document.querySelector<HTMLButtonElement>('[aria-label="Close"]')!.click()
  await nextTick()
  expect(mounted.props('show')).toBe(false)
})

it('stays while what was begun in it is under way', async () => {
  const { mounted, close, escape } = await opened(true)
  await escape()
  close.click()
  await nextTick()
  expect(mounted.props('show')).toBe(true)
  expect(close.disabled).toBe(true)
  await mounted.setProps({ busy: false })
  await escape()
  expect(mounted.props('show')).toBe(false)
})
