import type { BrowserWindow } from 'electron'
import type { Ask } from '../dialogs/questions'

/**
 * How long to wait, in milliseconds, before the operator is asked about a page that doesn't respond, and before they
 * are asked again. Chromium reports it about 15 seconds after a key or click.
 */
const timeoutMs = 15_000

const question = {
  message: "The window isn't responding.",
  detail:
    'Wait, or reload it. The form then has what was typed up to about a second before it stopped; request text that had errors is lost. Activity shows the results of creations in progress.',
  decline: 'Wait',
  agree: 'Reload',
}

/**
 * Asks the operator, outside the page, whether to wait for a page that hangs or to reload it. A page that hangs can't
 * be reloaded or left, so its process is ended, and `bringBack` reloads it.
 *
 * @param ask has a quiet period of its own: users who wait here have declined nothing else
 */
export function watchForHanging(
  { webContents }: Pick<BrowserWindow, 'webContents'>,
  ask: Ask,
  report: (error: unknown) => void,
): void {
  let hangs = false
  let timer: NodeJS.Timeout | undefined

  const askSoon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void askNow().catch(report), timeoutMs)
  }

  const askNow = async (): Promise<void> => {
    const loadAgain = await ask(question)
    if (!hangs) return
    if (loadAgain === true) webContents.forcefullyCrashRenderer()
    else askSoon()
  }

  const answers = (): void => {
    hangs = false
    clearTimeout(timer)
  }

  webContents.on('unresponsive', () => {
    // Chromium repeats it after every key and click.
    if (hangs) return
    hangs = true
    askSoon()
  })
  webContents.on('responsive', answers)
  webContents.on('render-process-gone', answers)
  webContents.on('destroyed', answers)
}
