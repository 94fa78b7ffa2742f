import { expect, it, vi } from 'vitest'
import type { FailureCode } from '@contract'
import { loggedCalls } from '../../../../../electron/main/ipc/logged'
import type { Log } from '../../../../../electron/main/log'

it.each<[FailureCode | null, number, string, string]>([
  [null, 999, 'debug', 'app.state'],
  [null, 1_000, 'info', 'app.state was slow'],
  ['cancelled', 20, 'debug', 'app.state'],
  ['cancelled', 5_000, 'info', 'app.state was slow'],
  ['timeout', 20, 'warn', 'app.state'],
])('logs a call with code %s after %d ms as %s', (code, durationMs, level, message) => {
  const lines: unknown[][] = []
  const write = (name: string) => vi.fn((...line: unknown[]) => lines.push([name, ...line]))
  const log = { debug: write('debug'), info: write('info'), warn: write('warn') }
  const watch = loggedCalls(log as unknown as Log)
  watch.answered({ name: 'app.state', caller: 1, callId: '1', input: { text: 'secret' } }, code, durationMs)
  expect(lines).toEqual([[level, 'call', message, { ms: durationMs, code: code ?? undefined }]])
})
