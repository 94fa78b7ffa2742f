/**
 * The page's only access to the main process: one function for each call and event of the contract. The page never
 * chooses a channel name.
 */
import { fail, failure } from '@contract/core/outcome'
import {
  type Bridge,
  callChannel,
  type CallName,
  callNames,
  cancelChannel,
  eventChannel,
  type EventName,
  eventNames,
} from '@contract/ipc/names'
import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron'

/** The outcome of a call without an answer, which happens only while the application quits. */
const unanswered = JSON.stringify(
  fail(
    failure('internal', 'The application did not answer.', {
      advice: 'It may be closing. Start it again if it does not.',
      retryable: true,
      sent: 'maybe',
    }),
  ),
)

function makeCall(name: CallName): Bridge['calls'][CallName] {
  const channel = callChannel(name)
  return async (callId, input) => {
    try {
      return (await ipcRenderer.invoke(channel, callId, JSON.stringify(input))) as string
    } catch {
      return unanswered
    }
  }
}

function makeSubscription(name: EventName): Bridge['events'][EventName] {
  const channel = eventChannel(name)
  return (listener) => {
    const forward = (_event: IpcRendererEvent, payload: string): void => listener(payload)
    ipcRenderer.on(channel, forward)
    return () => ipcRenderer.removeListener(channel, forward)
  }
}

const bridge: Bridge = {
  calls: Object.fromEntries(callNames.map((name) => [name, makeCall(name)])) as Bridge['calls'],
  cancel: (callId) => ipcRenderer.send(cancelChannel, callId),
  events: Object.fromEntries(eventNames.map((name) => [name, makeSubscription(name)])) as Bridge['events'],
}

contextBridge.exposeInMainWorld('slipway', bridge)
