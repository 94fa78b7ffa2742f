import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { timeoutMs, watchForHanging } from '../../../../../../electron/main/window/recovery/hanging'
import { oneDialogAtATime } from '../../../../../../electron/main/window/dialogs/one-dialog'
import { questionsIn } from '../../../../../../electron/main/window/dialogs/questions'

/** Open dialogs: their buttons, and how each is answered. */
const open = vi.hoisted((): { buttons: string[]; answer: (button: string) => Promise<unknown> }[] => [])

vi.mock('electron', () => ({
  dialog: {
    showMessageBox: ({ buttons }: { buttons: string[] }) =>
      new Promise((resolve) =>
        open.push({
          buttons,
          answer: (button) => {
            resolve({ response: buttons.indexOf(button), checkboxChecked: false })
            return vi.advanceTimersByTimeAsync(0)
          },
        }),
      ),
  },
}))

beforeEach(() => {
  vi.useFakeTimers()
  open.length = 0
})

afterEach(() => {
  vi.useRealTimers()
})

/** A page that is watched. */
function watched() {
  const page = Object.assign(new EventEmitter(), { forcefullyCrashRenderer: vi.fn() })
  const show = oneDialogAtATime(() => null)
  const report = vi.fn()
  watchForHanging({ webContents: page as never }, questionsIn(show), report)
  return { page, show, report, ended: page.forcefullyCrashRenderer }
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

it('asks about a page that hangs for long, and ends its process if the operator wants to reload it', async () => {
  const { page, ended } = watched()
  page.emit('unresponsive')
  await pass(timeoutMs - 1)
  expect(open).toEqual([])
  await pass(1)
  expect(open.map(({ buttons }) => buttons)).toEqual([['Wait', 'Reload']])
  expect(ended).not.toHaveBeenCalled()
  await open[0]!.answer('Reload')
  expect(ended).toHaveBeenCalledTimes(1)
  page.emit('render-process-gone')
  await pass(100 * timeoutMs)
  expect(open).toHaveLength(1)
})

it.each(['responsive', 'render-process-gone', 'destroyed'])(
  'asks nothing about a page that no longer hangs: %s',
  async (event) => {
    const { page, ended } = watched()
    page.emit('unresponsive')
    await pass(timeoutMs - 1)
    page.emit(event)
    await pass(100 * timeoutMs)
    expect(open).toEqual([])
    page.emit('unresponsive')
    await pass(timeoutMs)
    page.emit(event)
    await open[0]!.answer('Reload')
    expect(ended, 'it came back while the user was asked').not.toHaveBeenCalled()
  },
)

it('asks again about a page that still hangs, at growing intervals, however often that is reported', async () => {
  const { page, ended } = watched()
  const times: number[] = []
  const begin = Date.now()
  page.emit('unresponsive')
  while (Date.now() - begin < 3_600_000) {
    await pass(1_000)
    page.emit('unresponsive')
    if (open.length === 0) continue
    times.push(Date.now() - begin)
    await open.pop()!.answer('Wait')
  }
  const pauses = times.slice(1).map((time, index) => time - times[index]!)
  expect(pauses.slice(0, 4)).toEqual([15_000, 30_000, 45_000, 90_000])
  expect(pauses.length).toBeLessThan(14)
  expect(ended).not.toHaveBeenCalled()
})

it('waits until another dialog is closed', async () => {
  const { page, show } = watched()
  let close: () => void = () => undefined
  const other = show(() => new Promise<void>((resolve) => (close = resolve)))
  page.emit('unresponsive')
  await pass(10 * timeoutMs)
  expect(open).toEqual([])
  close()
  await other
  await pass(timeoutMs)
  expect(open).toHaveLength(1)
})
