import { disableAutoUnmount, enableAutoUnmount } from '@vue/test-utils'
import { afterEach, vi } from 'vitest'

// happy-dom has no idle callbacks. Their work runs right after the current task.
globalThis.requestIdleCallback ??= (work) =>
  setTimeout(() => work({ didTimeout: false, timeRemaining: () => 50 })) as unknown as number
globalThis.cancelIdleCallback ??= (request) => clearTimeout(request)

// The test files of a worker share a window: what a test has mounted, replaced or stored is gone after it.
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  document.body.replaceChildren()
  localStorage.clear()
  Reflect.deleteProperty(window, 'slipway')
})
// Registered last, it runs first: what is mounted ends before timers and globals are those of the window again.
disableAutoUnmount()
enableAutoUnmount(afterEach)
