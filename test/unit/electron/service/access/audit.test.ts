import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openAudit } from '../../../../../electron/service/access/audit'
import type { AuditEntry } from '../../../../../electron/service/base/audit-entry'
import { textLog } from '../../../../../electron/service/base/log'
import type { Store } from '../../../../../electron/service/database/store'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function open() {
  const written: AuditEntry[] = []
  const store = {
    audit: {
      append: (entries: readonly AuditEntry[]) => Promise.resolve(void written.push(...entries)),
    },
  } as unknown as Store
  return { audit: openAudit(store, textLog), written }
}

const refusal = (by: string, request_id: string, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  at: new Date().toISOString(),
  request_id,
  by,
  tenant_id: 'one tenant',
  action: 'create',
  name: null,
  id: null,
  outcome: 'refused 403',
  ...changes,
})

it('counts repeated refusals of a key, and records refusals of others meanwhile', async () => {
  const { audit, written } = open()
  for (let index = 0; index < 5_000; index += 1) audit.note(refusal('loud', `loud-${index}`))
  audit.note(refusal('loud', 'other', { outcome: 'refused 409', name: 'taken' }))
  audit.note(refusal('quiet', 'quiet-1'))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(written.map(({ request_id }) => request_id)).toEqual([
    ...Array.from({ length: 100 }, (_, index) => `loud-${index}`),
    'quiet-1',
  ])

  await vi.advanceTimersByTimeAsync(60_000)
  expect(written.slice(101)).toEqual([
    { ...refusal('loud', ''), at: written[99]!.at, request_id: null, outcome: 'refused 403, 4900 times' },
    { ...refusal('loud', 'other', { outcome: 'refused 409', name: 'taken' }), at: written[99]!.at },
  ])
  // In the next minute, each is recorded again.
  audit.note(refusal('loud', 'later'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written.at(-1)!.request_id).toBe('later')
})

it('writes each entry once, however long a write takes', async () => {
  const written: string[] = []
  const store = {
    audit: {
      append: async (entries: readonly AuditEntry[]) => {
        await new Promise((resolve) => setTimeout(resolve, 500))
        written.push(...entries.map(({ request_id }) => request_id!))
      },
    },
  } as unknown as Store
  const audit = openAudit(store, textLog)
  const noted = Array.from({ length: 20 }, (_, index) => `request-${index}`)
  for (const id of noted) {
    audit.note(refusal('key', id))
    await vi.advanceTimersByTimeAsync(50)
  }
  const closing = audit.close()
  await vi.advanceTimersByTimeAsync(5_000)
  await closing
  expect(written).toEqual(noted)
})

it('has only the common properties of requests in the entry that counts them, even at the end', async () => {
  const { audit, written } = open()
  for (let index = 0; index < 103; index += 1) {
    audit.note(refusal('loud', `loud-${index}`, { tenant_id: `tenant ${index}`, name: 'same' }))
  }
  await audit.close()
  expect(written).toHaveLength(101)
  expect(written.at(-1)).toMatchObject({ tenant_id: null, name: 'same', outcome: 'refused 403, 3 times' })
})
