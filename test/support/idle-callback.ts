// happy-dom has no idle callbacks: what waits for one is done right after what is at hand.
globalThis.requestIdleCallback ??= (work) =>
  setTimeout(() => work({ didTimeout: false, timeRemaining: () => 50 })) as unknown as number
globalThis.cancelIdleCallback ??= (request) => clearTimeout(request)
