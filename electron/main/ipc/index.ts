import { cancelChannel, type EventName, type EventPayload, eventChannel, failure } from '@contract'
import { type BrowserWindow, ipcMain, type WebContents, type WebFrameMain } from 'electron'
import { isAppUrl } from '../window/page/app-file'
import { log, report } from '../log'
import { answerCall, type Handlers, refusal, RunningCalls } from './answer'
import type { WaitingCalls } from './waiting-calls'

/**
 * All traffic between the page and the main process. Answers exactly the contract's calls, and only those of the main
 * frame of `window()` while it shows the application's own page. Everyone else gets `not-allowed`.
 *
 * @param pageLeft called when a page that has called no longer exists
 */
export function createIpcServer(window: () => BrowserWindow | null, pageLeft: () => void) {
  const running = new RunningCalls()
  const watched = new WeakSet<WebContents>()

  function isOwnPage(sender: WebContents, frame: WebFrameMain | null): boolean {
    const contents = window()?.webContents
    return (
      contents !== undefined &&
      sender === contents &&
      frame !== null &&
      frame === contents.mainFrame &&
      isAppUrl(frame.url)
    )
  }

  /** Cancels the calls of a page that no longer exists. */
  function cancelWithPage(sender: WebContents): void {
    if (watched.has(sender)) return
    watched.add(sender)
    const { id } = sender
    const cancelAll = (): void => {
      running.cancelAllOf(id)
      pageLeft()
    }
    sender.once('destroyed', cancelAll)
    sender.on('render-process-gone', cancelAll)
    sender.on('did-navigate', cancelAll)
  }

  ipcMain.on(cancelChannel, (event, callId: unknown) => {
    if (isOwnPage(event.sender, event.senderFrame)) running.cancel(event.sender.id, callId)
  })

  return {
    /** Sends an event to the window, if there is one. */
    send<Name extends EventName>(name: Name, payload: EventPayload<Name>): void {
      const target = window()
      if (target && !target.isDestroyed() && !target.webContents.isCrashed()) {
        target.webContents.send(eventChannel(name), JSON.stringify(payload))
      }
    },

    /** Cancels the calls about any environment but this one. */
    keepEnvironment: (currentId: string) => running.keepEnvironment(currentId),

    /** Handles the waiting calls and all later ones. */
    answer(waiting: WaitingCalls, handlers: Handlers): void {
      waiting.answerBy((name, event, callId, input) => {
        if (!isOwnPage(event.sender, event.senderFrame)) {
          log.warn('call', `${name} from a page that may not call`)
          return refusal(failure('not-allowed', 'This page may not call the application.'))
        }
        cancelWithPage(event.sender)
        return answerCall({ name, caller: event.sender.id, callId, input }, handlers, running, report)
      })
    },
  }
}
