// Beside the application's own preload: finds out when the page was first painted and when it could be used, which is
// when the first row of a table was painted. Times are milliseconds since 1970.

const { ipcRenderer } = require('electron')

const isBare = location.protocol === 'data:'

/** @type {{ painted?: number, usable?: number }} */
const moments = {}

const tell = () => {
  if (moments.painted !== undefined && (isBare || moments.usable !== undefined)) {
    ipcRenderer.send('bench:moments', moments)
  }
}

new PerformanceObserver((list) => {
  const [entry] = list.getEntriesByName('first-contentful-paint')
  if (!entry || moments.painted !== undefined) return
  moments.painted = performance.timeOrigin + entry.startTime
  tell()
}).observe({ type: 'paint', buffered: true })

const rows = new MutationObserver(() => {
  const row = document.querySelector('[scope=row] a, [role=rowheader] a')
  if (!row) return
  rows.disconnect()
  // After the frame in which it is painted.
  requestAnimationFrame(() =>
    setTimeout(() => {
      moments.usable = performance.timeOrigin + performance.now()
      tell()
    }),
  )
})
rows.observe(document, { childList: true, subtree: true })
