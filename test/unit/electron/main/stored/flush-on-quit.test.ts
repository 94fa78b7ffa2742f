import { expect, it } from 'vitest'
import { FlushOnQuit } from '../../../../../electron/main/stored/flush-on-quit'

it('waits until the form has saved, and asks nobody without a form or after its page has gone', async () => {
  let asked = 0
  const flushing = new FlushOnQuit(() => void (asked += 1))
  await flushing.flush()
  expect(asked).toBe(0)

  flushing.noteForm()
  let isOver = false
  const flushed = flushing.flush().then(() => (isOver = true))
  await Promise.resolve()
  expect([asked, isOver]).toEqual([1, false])
  flushing.noteFlushed()
  await flushed

  flushing.forgetForm()
  await flushing.flush()
  expect(asked).toBe(1)
})
