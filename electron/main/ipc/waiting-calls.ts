import { callChannel, type CallName, callNames } from '@contract/ipc/names'
import { ipcMain, type IpcMainInvokeEvent } from 'electron'

/** Answers a call as it arrived, with the outcome as JSON text. */
type Answerer = (
  name: CallName,
  event: IpcMainInvokeEvent,
  callId: unknown,
  input: unknown,
) => string | Promise<string>

/** The calls of the page, from the window's first moment on. */
export interface WaitingCalls {
  /** Resolves with the first call. */
  first: Promise<void>
  /** Sets what answers the calls that wait, and all that follow. */
  answerBy: (answerer: Answerer) => void
}

/**
 * Takes the contract's calls before their handlers are loaded, which is after the first paint. The window waits for this, so
 * it loads no schema.
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
