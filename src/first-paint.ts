/**
 * Lets the static page be painted before the application starts. Must be imported first.
 *
 * The first call makes the main process load its handlers, which would delay the paint. So it comes right after the
 * paint. Its answer is not needed.
 */

/** A hidden window is never painted: its page goes on after this time, in milliseconds. */
const timeoutMs = 500

await new Promise<void>((resolve) => {
  const observer = new PerformanceObserver((entries) => {
    if (entries.getEntriesByName('first-contentful-paint').length === 0) return
    observer.disconnect()
    resolve()
  })
  observer.observe({ type: 'paint', buffered: true })
  setTimeout(resolve, timeoutMs)
})
void window.slipway.calls['app.state']('first', {})

export {}
