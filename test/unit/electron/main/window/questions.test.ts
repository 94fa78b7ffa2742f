import type { MessageBoxOptions } from 'electron'
import { beforeEach, expect, it, vi } from 'vitest'
import { oneDialogAtATime, questionsIn } from '../../../../../electron/main/window/questions'

/** Open dialogs, how each is answered, and its options. */
const open = vi.hoisted((): ((response: number) => void)[] => [])
const shown = vi.hoisted((): MessageBoxOptions[] => [])

vi.mock('electron', () => ({
  dialog: {
    showMessageBox: (...args: unknown[]) => {
      shown.push(args.at(-1) as MessageBoxOptions)
      return new Promise((resolve) => open.push((response) => resolve({ response, checkboxChecked: false })))
    },
  },
}))

beforeEach(() => {
  open.length = 0
  shown.length = 0
})

const noWindow = (): null => null

const question = { message: 'Send?', detail: 'All of it.', agree: 'Send' }

it("asks one question at a time, and none while another dialog is open, which isn't an answer", async () => {
  const show = oneDialogAtATime(noWindow)
  const ask = questionsIn(show)
  const first = ask(question)
  expect(await ask(question)).toBeNull()
  expect(await show(() => Promise.resolve('a file'))).toBeNull()
  expect(open).toHaveLength(1)
  open[0]!(1)
  expect(await first).toBe(true)
  const second = ask(question)
  open[1]!(0)
  expect(await second).toBe(false)
  expect(await show(() => Promise.resolve('a file')), 'chosen by the user right after').toBe('a file')
  await expect(show(() => Promise.reject(new Error('no dialog')))).rejects.toThrow('no dialog')
  expect(await show(() => Promise.resolve('a file'))).toBe('a file')
})

it('asks nothing for a while after a no', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const ask = questionsIn(oneDialogAtATime(noWindow))
  const answered = async (response: number): Promise<boolean | null> => {
    const answer = ask(question)
    open.pop()?.(response)
    return await answer
  }
  expect(await answered(0)).toBe(false)
  vi.advanceTimersByTime(9_999)
  expect(await answered(1)).toBeNull()
  vi.advanceTimersByTime(1)
  expect(await answered(1)).toBe(true)
  expect(await answered(0)).toBe(false)
  vi.useRealTimers()
})
