import { beforeEach, expect, it, vi } from 'vitest'
import { questionsIn } from '../../../../../electron/main/window/questions'

/** Dialogs that are open, and how each is answered. */
const open = vi.hoisted((): ((response: number) => void)[] => [])

vi.mock('electron', () => ({
  dialog: {
    showMessageBox: () =>
      new Promise((resolve) => open.push((response) => resolve({ response, checkboxChecked: false }))),
  },
}))

beforeEach(() => {
  open.length = 0
})

const question = { message: 'Send?', detail: 'All of it.', agree: 'Send' }

it('asks one question at a time, whoever asks, and does not take that for an answer', async () => {
  const ask = questionsIn(() => null)
  const first = ask(question)
  expect(await ask(question)).toBeNull()
  expect(open).toHaveLength(1)
  open[0]!(1)
  expect(await first).toBe(true)
  const second = ask(question)
  open[1]!(0)
  expect(await second).toBe(false)
})
