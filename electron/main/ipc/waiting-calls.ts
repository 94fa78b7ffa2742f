import { callChannel, type CallName, callNames } from '@contract/ipc/names'
import { ipcMain, type IpcMainInvokeEvent } from 'electron'

/** Handles a call as it arrived, and gives the outcome as JSON text. */
type Answerer = (
  name: CallName,
  event: IpcMainInvokeEvent,
  callId: unknown,
  input: unknown,
) => string | Promise<string>

/** The calls of the page, from the opening of the window on. */
export interface WaitingCalls {
  /** Resolves with the first call. */
  first: Promise<void>
  /** Sets the handler of the waiting calls and all later ones. */
  answerBy: (answerer: Answerer) => void
}

/**
 * Accepts the contract's calls before their handlers are loaded, after the first paint. The window waits for this
 * module, so it loads no schema.
 */
export function takeCalls(): WaitingCalls {
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
  return { first, answerBy }
}
