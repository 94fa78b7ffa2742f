/**
 * Lets what the page shows by itself be painted before the application begins to work. Must be imported first.
 *
 * With the first call the main process loads what answers calls, and until then the window is painted by it; so a call
 * is made at the moment of the paint, and not before. Its answer is not needed.
 */

/** A page that is not painted, such as in a window that nobody sees, goes on after so many milliseconds. */
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
