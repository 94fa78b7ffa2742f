import { type App, app, type WebContents } from 'electron'
import type { Log } from '.'

/** Logs the start and end of the application, and every process of it that ends unexpectedly. */
export function watchApplication(log: Log, { versions, platform, arch }: NodeJS.Process = process): void {
  log.info('app', `Slipway ${app.getVersion()} begins`, {
    electron: versions.electron,
    chrome: versions.chrome,
    platform,
    arch,
    packaged: app.isPackaged,
  })
  app.on('render-process-gone', (_event, _contents, { reason, exitCode }) => {
    log.error('crash', "the window's process is gone", { reason, exitCode })
  })
  app.on('child-process-gone', (_event, { type, reason, exitCode, serviceName, name }) => {
    const level = reason === 'clean-exit' || reason === 'killed' ? 'info' : 'error'
    log[level]('crash', 'a process is gone', { type, reason, exitCode, process: name ?? serviceName })
  })
  app.on('web-contents-created', (_event, contents) => watchPage(log, contents))
  app.on('will-quit', () => log.info('app', 'Slipway ends'))
}

type ConsoleListener = (
  event: { level?: string; lineNumber?: number; sourceId?: string },
  level?: number,
  message?: string,
  line?: number,
  sourceId?: string,
) => void

/** Logs where the page reported errors, but not their text: it may repeat what the operator is typing. */
function watchPage(log: Log, contents: WebContents): void {
  const listener: ConsoleListener = (event, level, _message, line, sourceId) => {
    // Electron before 35 passes arguments, later versions one event with the same members.
    const isError = event.level === undefined ? level === 3 : event.level === 'error'
    if (!isError) return
    log.error('page', 'the page reported an error', {
      source: event.sourceId ?? sourceId,
      line: event.lineNumber ?? line,
    })
  }
  ;(contents as unknown as { on: (name: 'console-message', listener: ConsoleListener) => void }).on(
    'console-message',
    listener,
  )
  contents.on('unresponsive', () => log.warn('page', 'the page is unresponsive'))
  contents.on('responsive', () => log.info('page', 'the page is responsive again'))
  contents.on('preload-error', () => log.error('page', 'the preload failed'))
}

/** Where the log's files are. */
export function logFolder(from: App = app): string {
  return `${from.getPath('userData')}/logs`
}
