import { type Outcome, succeed } from '@contract'
import { shownText } from '@contract/core/untrusted-text'
import { BrowserWindow, Notification } from 'electron'

/** Notifications that are on show, oldest first: one that is not held would lose its click. */
const shown = new Set<Notification>()

/** More at once tell nobody anything. */
const mostShown = 5

/** What a notification says at most, in characters: names in it are chosen by others. */
const longest = 200

/**
 * Says something through the system, without a sound, unless the window has the focus: the page says it as well. A
 * click on it brings the window to the front. Characters that cannot be seen are written out, as in the page.
 */
export function notify({ title, body }: { title: string; body: string }): Outcome<null> {
  const [window] = BrowserWindow.getAllWindows()
  if (!window || window.isFocused() || !Notification.isSupported()) return succeed(null)
  const notification = new Notification({
    title: shownText(title, { most: longest }),
    body: shownText(body, { most: longest }),
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
  })
  notification.on('close', forget)
  const [oldest] = shown
  if (oldest && shown.size >= mostShown) {
    oldest.close()
    shown.delete(oldest)
  }
  shown.add(notification)
  notification.show()
  return succeed(null)
}
