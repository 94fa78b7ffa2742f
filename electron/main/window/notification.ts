import { type Outcome, succeed } from '@contract'
import { BrowserWindow, Notification } from 'electron'

/** Notifications that are on show: one that is not held would lose its click. */
const shown = new Set<Notification>()

/**
 * Says something through the system, without a sound, unless the window has the focus: the page says it as well. A
 * click on it brings the window to the front.
 */
export function notify({ title, body }: { title: string; body: string }): Outcome<null> {
  const [window] = BrowserWindow.getAllWindows()
  if (!window || window.isFocused() || !Notification.isSupported()) return succeed(null)
  const notification = new Notification({ title, body, silent: true })
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
  shown.add(notification)
  notification.show()
  return succeed(null)
}
