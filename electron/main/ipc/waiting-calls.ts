import { callChannel, type CallName, callNames } from '@contract/ipc/names'
import { ipcMain, type IpcMainInvokeEvent } from 'electron'

/** Answers a call, as it arrived, with the text that crosses the bridge. */
type Answerer = (
  name: CallName,
  event: IpcMainInvokeEvent,
  callId: unknown,
  input: unknown,
) => string | Promise<string>

/** The calls of the page from the window's first moment on. */
export interface WaitingCalls {
  /** Resolves with the first call: someone waits for an answer. */
  first: Promise<void>
  /** Has this answer the calls that wait, and all that follow. */
  answerBy: (answerer: Answerer) => void
}

/**
 * Takes the contract's calls before what answers them is loaded, which is after the first paint. Free of schemas: it is
 * part of what the window waits for.
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
