/**
 * Prints what the open window shows, for a start on a display that nobody sees. The launcher requests it with
 * SLIPWAY_TELL_FIRST_LIST=1.
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { sleep } from '../async'
import { ownerOnly } from '../files'

/** Whether nobody sees the display, so that a dialog would never be answered. */
export const isUnseen = (): boolean => process.env['SLIPWAY_TELL_FIRST_LIST'] === '1'

/** How often to look at the page, and for how long, in milliseconds. */
const interval = 250
const timeoutMs = 60_000

/**
 * The text of the page: `[data-shown]` of the status line, or an alert of one or more paragraphs, without its buttons.
 */
const lookAtPage = `(() => {
  const texts = (query) => [...document.querySelectorAll(query)].map((one) => one.textContent.trim())
  return { shown: texts('[data-shown]')[0] ?? '', alert: texts('main [role=alert] :is(p, blockquote, li)').join(' ') }
})()`

/** Resolves once changes are drawn. */
const untilDrawn =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))'

/**
 * Waits for the first list, or for an alert instead of it, takes a picture of the window and prints both in one line.
 * Does nothing unless requested, or if the window is closed before.
 *
 * @param folder where to save the picture, `window.png`, readable for this user only
 */
export async function printFirstList(
  window: () => BrowserWindow | null,
  environmentName: () => string,
  folder: string,
): Promise<void> {
  if (!isUnseen()) return
  const until = Date.now() + timeoutMs
  let page = { shown: '', alert: '' }
  while (page.shown === '' && page.alert === '' && Date.now() < until) {
    await sleep(interval)
    const contents = window()?.webContents
    if (!contents) return
    page = (await contents.executeJavaScript(lookAtPage)) as typeof page
  }
  const picture = await takePicture(window(), join(folder, 'window.png'))
  const what = page.shown || page.alert || 'its list is not there yet'
  process.stdout.write(
    `slipway: the window is open on ${oneLine(environmentName())}: ${oneLine(what)}. ${picture}\n`,
  )
}

async function takePicture(window: BrowserWindow | null, file: string): Promise<string> {
  try {
    if (!window) return 'It was closed before a picture could be taken.'
    await window.webContents.executeJavaScript(untilDrawn)
    const picture = (await window.webContents.capturePage()).toPNG()
    // Writing to an existing file would keep its mode.
    await rm(file, { force: true })
    await writeFile(file, picture, { mode: ownerOnly.file, flag: 'wx' })
    return `A picture of it: ${file}`
  } catch {
    return 'No picture of it could be saved.'
  }
}

/** Text of a service or an operator, safe for a terminal. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .slice(0, 300)
    .replace(/\.$/, '')
