import type { EventPayload } from '@contract'
import { fail, failure } from '@contract/core/outcome'
import {
  callChannel,
  type CallName,
  callNames,
  cancelChannel,
  eventChannel,
  type EventName,
} from '@contract/ipc/names'
import {
  type BrowserWindow,
  ipcMain,
  type IpcMainInvokeEvent,
  type WebContents,
  type WebFrameMain,
} from 'electron'
import { log } from '../log'
import { isAppUrl } from '../window/page/app-file'
import type { ArrivedCall, RunningCalls } from './answer'

/** Handles a call as it arrived, and gives the outcome as JSON text. */
type Answerer = (
  name: CallName,
  event: IpcMainInvokeEvent,
  callId: unknown,
  input: unknown,
) => string | Promise<string>

// The window waits for this module, so it loads no schema.

/** Accepts the contract's calls before their handlers are loaded, after the first paint. */
export function takeCalls() {
  let answerBy!: (answerer: Answerer) => void
  const answerer = new Promise<Answerer>((resolve) => (answerBy = resolve))
  const first = new Promise<void>((resolve) => {
    for (const name of callNames) {
      ipcMain.handle(callChannel(name), async (event, callId: unknown, input: unknown) => {
        resolve()
        return (await answerer)(name, event, callId, input)
      })
    }
  })
  /** `first` resolves with the first call. `answerBy` sets the handler of the waiting calls and all later ones. */
  return { first, answerBy }
}

export type WaitingCalls = ReturnType<typeof takeCalls>

/**
 * All traffic between the page and the main process. Answers exactly the contract's calls, and only those of the main
 * frame of `window()` while it shows the application's own page. Everyone else gets `not-allowed`.
 *
 * @param running the calls that are being handled
 * @param pageLeft called when a page that has called no longer exists
 */
export function createIpcServer(
  window: () => BrowserWindow | null,
  running: RunningCalls,
  pageLeft: () => void,
) {
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

    /** Handles the waiting calls and all later ones. */
    answer(waiting: WaitingCalls, handle: (call: ArrivedCall) => Promise<string>): void {
      waiting.answerBy((name, event, callId, input) => {
        if (!isOwnPage(event.sender, event.senderFrame)) {
          log.warn('call', `${name} from a page that may not call`)
          return JSON.stringify(fail(notAllowed))
        }
        cancelWithPage(event.sender)
        return handle({ name, caller: event.sender.id, callId, input })
      })
    },
  }
}

const notAllowed = failure('not-allowed', 'This page may not call the application.')
