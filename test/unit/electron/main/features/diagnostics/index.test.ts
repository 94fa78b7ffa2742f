import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createDiagnostics, showAgainMs } from '../../../../../../electron/main/features/diagnostics'
import { log } from '../../../../../../electron/main/log'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

it('is shown at most once within some seconds, however often a page requests it', async () => {
  /** The system's results, one for each request to show the folder. */
  const shows: ((trouble: string) => void)[] = []
  const { openLogFolder } = createDiagnostics({
    known: () => Promise.reject(new Error('not asked for')),
    log,
    logFolder: '/data/logs',
    askWhere: () => Promise.resolve(null),
    showFolder: () => new Promise((resolve) => shows.push(resolve)),
  })
  const askedAtOnce = Array.from({ length: 150 }, () => openLogFolder())
  expect(shows).toHaveLength(1)
  // A file manager that is slow to answer isn't started again.
  vi.advanceTimersByTime(10 * showAgainMs)
  askedAtOnce.push(openLogFolder())
  expect(shows).toHaveLength(1)
  shows[0]!('')
  for (const outcome of await Promise.all(askedAtOnce)) expect(outcome.ok).toBe(true)
  vi.advanceTimersByTime(showAgainMs - 1)
  expect((await openLogFolder()).ok).toBe(true)
  expect(shows).toHaveLength(1)
  vi.advanceTimersByTime(1)
  const again = openLogFolder()
  expect(shows).toHaveLength(2)
  shows[1]!('No application is known for it.')
  expect(await again).toMatchObject({ ok: false, failure: { advice: 'The log files are in /data/logs.' } })
})
