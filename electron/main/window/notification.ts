import { type Outcome, succeed } from '@contract'
import { shownText } from '@contract/core/text'
import { BrowserWindow, Notification } from 'electron'

/** Visible notifications, oldest first. One that isn't referenced would lose its click event. */
const shown = new Set<Notification>()

/** More at once are of no use. */
const maxShown = 5

/** The longest text of a notification, in characters: it contains names that others choose. */
const longest = 200

/**
 * On Linux, a body may have markup, links and pictures included, and one that is no valid markup may be shown as
 * nothing. Servers differ in what they take for an escaped character, so that none of them stays.
 */
const withoutMarkup = (text: string): string =>
  process.platform === 'linux' ? text.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('&', '＆') : text

/**
 * Shows a silent notification of the system, unless the window has the focus: the page shows the same. A click brings
 * the window to the front. Invisible characters are escaped, as in the page.
 *
 * @param clicked called after a click, once the window is in front
 */
export function notify(
  { title, body }: { title: string; body: string },
  clicked: () => void = () => undefined,
): Outcome<null> {
  const [window] = BrowserWindow.getAllWindows()
  if (!window || window.isFocused() || !Notification.isSupported()) return succeed(null)
  const notification = new Notification({
    title: shownText(title, { max: longest }),
    body: withoutMarkup(shownText(body, { max: longest })),
    silent: true,
  })
  const forget = (): void => {
    shown.delete(notification)
  }
  notification.on('click', () => {
    forget()
    if (window.isDestroyed()) return
    if (window.isMinimized()) window.restore()
    window.focus()
    clicked()
  })
  notification.on('close', forget)
  const [oldest] = shown
  if (oldest && shown.size >= maxShown) {
    oldest.close()
    shown.delete(oldest)
  }
  shown.add(notification)
  notification.show()
  return succeed(null)
}
