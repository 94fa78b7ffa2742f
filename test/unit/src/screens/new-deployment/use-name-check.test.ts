import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type EffectScope, effectScope, ref, type ShallowRef } from 'vue'
import type { DraftFinding } from '@/domain/draft/finding'
import { useNameCheck } from '@/screens/new-deployment/use-name-check'
import { summaryOf } from '../../../../support/builders/deployment-summary'
import { type FakeBridge } from '../../../../support/page/fake-bridge'
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
