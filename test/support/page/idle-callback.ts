// happy-dom has no idle callbacks. Their work runs right after the current task.
globalThis.requestIdleCallback ??= (work) =>
  setTimeout(() => work({ didTimeout: false, timeRemaining: () => 50 })) as unknown as number
globalThis.cancelIdleCallback ??= (request) => clearTimeout(request)
