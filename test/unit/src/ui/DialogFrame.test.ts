import { flushPromises, mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { nextTick } from 'vue'
import DialogFrame from '@/ui/widgets/DialogFrame.vue'

/** An open dialog with an element that closes it. */
async function opened() {
  const mounted = mount(DialogFrame, {
    props: { title: 'Review', onClose: () => mounted.unmount() },
    slots: { default: '<input>' },
    attachTo: document.body,
  })
  await flushPromises()
  const escape = async (): Promise<void> => {
    document
      .querySelector('input')!
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape', bubbles: true }))
    await flushPromises()
  }
  return { escape }
}

it('returns the focus once it is closed', async () => {
  document.body.innerHTML = '<button id="opener"></button>'
  const opener = document.querySelector('button')!
  opener.focus()
  const { escape } = await opened()
  expect(document.activeElement).not.toBe(opener)
  await escape()
  expect(document.activeElement).toBe(opener)
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

/** Sends keys to a field of the open dialog, and notes what arrives there. */
function atField(field: HTMLElement): {
  seen: string[]
  send: (type: 'keydown' | 'keyup', init: KeyboardEventInit) => KeyboardEvent
} {
  const seen: string[] = []
  const note = (event: KeyboardEvent): void => {
    seen.push(`${event.type} ${event.key}`)
  }
  field.addEventListener('keydown', note)
  field.addEventListener('keyup', note)
  return {
    seen,
    send(type, init) {
      const event = new KeyboardEvent(type, { bubbles: true, cancelable: true, ...init })
      field.dispatchEvent(event)
      return event
    },
  }
}

it.each([
  ['pressed anew right after it opened', { code: 'Escape' }, false],
  ['without a code', { code: '' }, false],
  ['held since before it opened', { code: 'Escape', repeat: true }, true],
  ['that ends a composition', { code: 'Escape', isComposing: true }, true],
  [
    'that ends a composition, as Windows and Linux have it',
    { code: 'Escape', key: 'Process', isComposing: true },
    true,
  ],
  ['without a code that ends a composition', { code: '', isComposing: true }, true],
])('is closed by Escape or not: %s', async (_what, init, isOpen) => {
  await opened()
  const { send } = atField(document.querySelector('input')!)
  const { defaultPrevented } = send('keydown', { key: 'Escape', ...init })
  await nextTick()
  expect(document.querySelector('input') !== null).toBe(isOpen)
  // The input method ends its composition itself.
  if ('isComposing' in init) expect(defaultPrevented).toBe(false)
})
