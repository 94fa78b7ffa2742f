import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type EffectScope, effectScope, nextTick, reactive } from 'vue'
import { emptyDraft } from '@/domain/draft/draft'
import { useChecked } from '@/screens/new-deployment/use-checked'
import { createDraftEntry } from '@/stores/creation/draft-entry'

let scope: EffectScope

beforeEach(() => {
  vi.useFakeTimers()
  scope = effectScope()
})

afterEach(() => {
  window.dispatchEvent(new Event('pointerup'))
  vi.runAllTimers()
  scope.stop()
  vi.useRealTimers()
})

/** The check of an empty draft, whose name is then entered. */
async function afterEntering(name: string) {
  const entry = reactive(createDraftEntry('cloud', 1, emptyDraft('cloud')))
  const checked = scope.run(() => useChecked(() => entry, 'cloud'))!
  const aboutName = (): unknown[] => checked.findings.value.filter(({ path }) => path[0] === 'name')
  expect(aboutName()).toHaveLength(1)
  entry.draft.entered.name = name
  entry.revision += 1
  await nextTick()
  return { checked, aboutName }
}

it('checks a change after a pause', async () => {
  const { checked, aboutName } = await afterEntering('agent')
  expect(aboutName()).toHaveLength(1)
  vi.runAllTimers()
  expect(aboutName()).toEqual([])
  expect(checked.request.value.name).toBe('agent')
})

it('moves nothing while a pointer is pressed', async () => {
  const { aboutName } = await afterEntering('agent')
  window.dispatchEvent(new Event('pointerdown'))
  vi.runAllTimers()
  expect(aboutName()).toHaveLength(1)
  window.dispatchEvent(new Event('pointerup'))
  vi.runAllTimers()
  expect(aboutName()).toEqual([])
})

it('shows no old findings for a field that loses the focus before the pause is over', async () => {
  const { checked, aboutName } = await afterEntering('agent')
  checked.settle()
  expect(aboutName()).toEqual([])
})
