import { cancelChannel, type EventName, type EventPayload, eventChannel, failure } from '@contract'
import { type BrowserWindow, ipcMain, type WebContents, type WebFrameMain } from 'electron'
import { isAppUrl } from '../window/page/app-origin'
import { answerCall, type CallWatch, type Handlers, refusal } from './answer'
import { RunningCalls } from './running-calls'
import type { WaitingCalls } from './waiting-calls'

/** The one door between the page and the main process. */
export interface IpcServer {
  /** Sends an event to the window, when there is one. */
  send: <Name extends EventName>(name: Name, payload: EventPayload<Name>) => void
  /** Ends the calls about any other environment than this one. */
  keepEnvironment: (currentId: string) => void
}

/**
 * Answers exactly the contract's calls. Only the main frame of `window()`, showing the application's own page,
 * is answered; anyone else gets `not-allowed`.
 */
export function answerCalls(
  waiting: WaitingCalls,
  window: () => BrowserWindow | null,
  handlers: Handlers,
  report: (error: unknown) => void,
  calls: CallWatch,
): IpcServer {
  const running = new RunningCalls()
  const watched = new WeakSet<WebContents>()

  const isOurs = (sender: WebContents, frame: WebFrameMain | null): boolean => {
    const contents = window()?.webContents
    return (
      contents !== undefined &&
      sender === contents &&
      frame !== null &&
      frame === contents.mainFrame &&
      isAppUrl(frame.url)
    )
  }

  const watch = (sender: WebContents): void => {
    if (watched.has(sender)) return
    watched.add(sender)
    const { id } = sender
    const cancelAll = (): void => running.cancelAllOf(id)
    sender.once('destroyed', cancelAll)
    sender.on('render-process-gone', cancelAll)
    sender.on('did-navigate', cancelAll)
  }

  waiting.answerBy((name, event, callId, input) => {
    if (!isOurs(event.sender, event.senderFrame)) {
      calls.refused(name)
      return refusal(failure('not-allowed', 'This page may not call the application.'))
    }
    watch(event.sender)
    return answerCall({ name, caller: event.sender.id, callId, input }, handlers, running, report, calls)
  })

  ipcMain.on(cancelChannel, (event, callId: unknown) => {
    if (isOurs(event.sender, event.senderFrame)) running.cancel(event.sender.id, callId)
  })

  return {
    send: (name, payload) => {
      const target = window()
      if (target && !target.isDestroyed() && !target.webContents.isCrashed()) {
        target.webContents.send(eventChannel(name), JSON.stringify(payload))
      }
    },
    keepEnvironment: (currentId) => running.keepEnvironment(currentId),
  }
}
