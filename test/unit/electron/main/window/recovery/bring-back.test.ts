import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { bringBack } from '../../../../../../electron/main/window/recovery/bring-back'
import { oneDialogAtATime } from '../../../../../../electron/main/window/dialogs/one-dialog'

/** Open dialogs: their window, and how each is answered. */
const open = vi.hoisted((): { before: unknown; answer: (button: string) => Promise<unknown> }[] => [])
const quit = vi.hoisted(() => vi.fn())

vi.mock('electron', () => ({
  app: { quit },
  dialog: {
    showMessageBox: (...args: unknown[]) =>
      new Promise((resolve) => {
        const { buttons } = args.at(-1) as { buttons: string[] }
        open.push({
          before: args.length > 1 ? args[0] : null,
          answer: (button) => {
            resolve({ response: buttons.indexOf(button), checkboxChecked: false })
            return vi.advanceTimersByTimeAsync(0)
          },
        })
      }),
  },
}))

beforeEach(() => {
  vi.useFakeTimers()
  open.length = 0
  quit.mockClear()
})

afterEach(() => {
  vi.useRealTimers()
})

/** A window whose page ends on request. */
function opened(visible: boolean) {
  const page = Object.assign(new EventEmitter(), { reload: vi.fn() })
  const window = Object.assign(new EventEmitter(), {
    webContents: page,
    isVisible: () => visible,
    isDestroyed: vi.fn(() => false),
    loadURL: vi.fn(async () => page.emit('did-finish-load')),
  })
  const show = oneDialogAtATime(() => window as never)
  const notify = vi.fn()
  const report = vi.fn()
  bringBack(window as never, show, notify, report)
  const end = (times: number): void => {
    for (let time = 0; time < times; time += 1) page.emit('render-process-gone', {}, { reason: 'crashed' })
  }
  return { window, page, show, notify, report, end }
}

it('is reloaded three times, and the fourth time a dialog asks', async () => {
  const { window, page, end } = opened(true)
  end(3)
  expect(page.reload).toHaveBeenCalledTimes(3)
  expect(open).toEqual([])
  end(1)
  expect(open).toMatchObject([{ before: window }])
  await open[0]!.answer('Reload')
  expect(window.loadURL).toHaveBeenCalledTimes(1)
  expect(quit).not.toHaveBeenCalled()
})

it('is asked about on the screen if its window was never shown', async () => {
  const { end } = opened(false)
  end(4)
  expect(open).toMatchObject([{ before: null }])
  await open[0]!.answer('Quit')
  expect(quit).toHaveBeenCalledTimes(1)
})

it('is asked about once no other dialog is open, and not if its window is closed meanwhile', async () => {
  const { window, show, end, report } = opened(true)
  let answer: (value: string) => void = () => undefined
  const other = show(() => new Promise<string>((resolve) => (answer = resolve)))
  end(4)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(open).toEqual([])
  answer('yes')
  expect(await other).toBe('yes')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(open).toHaveLength(1)
  window.isDestroyed.mockReturnValue(true)
  window.emit('closed')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(open).toHaveLength(1)
  expect(window.loadURL).not.toHaveBeenCalled()
  expect(report).not.toHaveBeenCalled()
})

it('is reported until the page is loaded for another reason, each time again', () => {
  const { page, notify, end } = opened(true)
  page.emit('did-finish-load')
  end(1)
  page.emit('did-finish-load')
  expect(notify.mock.calls).toEqual([[false], [true]])
  page.emit('did-finish-load')
  expect(notify.mock.lastCall).toEqual([false])
  end(1)
  expect(notify.mock.lastCall).toEqual([true])
})
