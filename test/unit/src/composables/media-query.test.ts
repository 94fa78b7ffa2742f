import { afterEach, expect, it, vi } from 'vitest'
import { effectScope } from 'vue'
import { useMediaQuery } from '@/composables/media-query'

afterEach(() => vi.unstubAllGlobals())

it('follows a media query until its scope ends', () => {
  const query = Object.assign(new EventTarget(), { matches: false })
  vi.stubGlobal('matchMedia', () => query)
  const scope = effectScope()
  const matches = scope.run(() => useMediaQuery('(min-height: 640px)'))!
  expect(matches.value).toBe(false)
  query.matches = true
  query.dispatchEvent(new Event('change'))
  expect(matches.value).toBe(true)
  scope.stop()
  query.matches = false
  query.dispatchEvent(new Event('change'))
  expect(matches.value).toBe(true)
})
