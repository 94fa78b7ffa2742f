import { callChannel, type CallName, callNames } from '@contract/ipc/names'
import { ipcMain, type IpcMainInvokeEvent } from 'electron'

/** Handles a call as it arrived, and gives the outcome as JSON text. */
export type Answerer = (
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
  /** `first` resolves with the first call. `answerBy` answers the waiting calls; the server takes all later ones. */
  return { first, answerBy }
}

export type WaitingCalls = ReturnType<typeof takeCalls>
