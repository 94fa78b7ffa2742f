import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type EffectScope, effectScope, ref, type ShallowRef } from 'vue'
import type { DraftFinding } from '@/domain/draft/validation/finding'
import { useSyncStore } from '@/stores/application/sync'
import { useNameCheck } from '@/screens/new-deployment/use-name-check'
import { summaryOf } from '../../../../support/builders/deployment-summary'
import { type FakeBridge, settled } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

let bridge: FakeBridge
let scope: EffectScope
let found: ShallowRef<DraftFinding | null>
const name = ref('')

beforeEach(() => {
  vi.useFakeTimers()
  bridge = startApp().bridge
  name.value = ''
  scope = effectScope()
  found = scope.run(() => useNameCheck(() => name.value, 'a'))!
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

/** Types a name, and answers the search for it. */
async function type(text: string, cached: object[]): Promise<void> {
  name.value = text
  await vi.advanceTimersByTimeAsync(300)
  const request = bridge.newest('cache.page')
  // Exactly this name, not names that merely contain it.
  expect(request.input).toMatchObject({ request: { query: { name: text } } })
  await request.answer({ deployments: cached })
}
const cached = (text: string, gone: string | null = null) => ({
  ...summaryOf('1', { name: text }),
  gone_at: gone,
})

it('warns of a name that a cached deployment has, until it is changed', async () => {
  await type('agent', [cached('agent', '2026-11-24T00:00:00.000Z'), cached('agent')])
  expect(found.value).toMatchObject({ path: ['name'], severity: 'warning' })
  name.value = 'agent-2'
  await vi.advanceTimersByTimeAsync(0)
  expect(found.value).toBeNull()
})

it('does not warn of a deployment that is gone', async () => {
  await type('agent', [cached('agent', '2026-11-24T00:00:00.000Z')])
  expect(found.value).toBeNull()
})

it('ignores an answer for an earlier name', async () => {
  name.value = 'agent'
  await vi.advanceTimersByTimeAsync(300)
  const earlier = bridge.newest('cache.page')
  name.value = 'agent-2'
  await earlier.answer({ deployments: [cached('agent')] })
  expect(found.value).toBeNull()
})

it('checks again once a synchronisation may have found the name, and keeps the warning meanwhile', async () => {
  await type('agent', [])
  expect(found.value).toBeNull()
  useSyncStore().ended += 1
  await settled()
  await bridge.newest('cache.page').answer({ deployments: [cached('agent')] })
  expect(found.value).not.toBeNull()
  useSyncStore().ended += 1
  await settled()
  expect(found.value).not.toBeNull()
})
