import {
  failure,
  calls,
  cancelledFailure,
  type CallName,
  type CallOutput,
  type EventPayload,
  fail,
  type Failure,
  type FailureCode,
  fieldIssues,
  type Outcome,
  type ParsedCallInput,
} from '@contract'
import { callChannel, callNames, cancelChannel, eventChannel, type EventName } from '@contract/ipc/names'
import { type BrowserWindow, ipcMain, type WebContents, type WebFrameMain } from 'electron'
import { log } from '../log'
import { JsonText, type OrText } from '../processes/answers'
import { raceCancellation, raceTimeout } from '../async'
import type { Environments } from '../environments'
import { accountIn, existsIn, nameIn, environmentChangedFailure, notFound } from '../environments/known'
import { type Journal, JournalError } from '../stored/journal'
import type { Reconciler } from '../features/deployments/reconciler'
import { isAppUrl } from '../window/page/app-file'
import type { Answerer, WaitingCalls } from './waiting'

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

    /** Handles the waiting calls and all later ones. Errors of handlers go to `report`. */
    answer(waiting: WaitingCalls, handlers: Handlers, report: (error: unknown) => void): void {
      const answerer: Answerer = (name, event, callId, input) => {
        if (!isOwnPage(event.sender, event.senderFrame)) {
          log.warn('call', `${name} from a page that may not call`)
          return refusal(notAllowed)
        }
        cancelWithPage(event.sender)
        return answerCall({ name, caller: event.sender.id, callId, input }, handlers, running, report)
      }
      waiting.answerBy(answerer)
      for (const name of callNames) {
        ipcMain.removeHandler(callChannel(name))
        ipcMain.handle(callChannel(name), (event, callId: unknown, input: unknown) =>
          answerer(name, event, callId, input),
        )
      }
    },
  }
}

/** The longest input of a call, in characters: more than the page ever sends, and parsed in a moment. */
const longestInput = 8_000_000

/** Handles a call. It gets the parsed input, and a signal that aborts when nobody waits any more. */
type Handler<Name extends CallName> = (
  input: ParsedCallInput<Name>,
  signal: AbortSignal,
) => OrText<CallOutput<Name>> | Promise<OrText<CallOutput<Name>>>

/** One handler for each call of the contract; the type check finds a missing one. */
export type Handlers = { [Name in CallName]: Handler<Name> }

/** A call as it arrived. */
export interface ArrivedCall {
  name: CallName
  caller: number
  callId: unknown
  /** JSON text: plain data, whatever a compromised page sends. */
  input: unknown
}

const notAllowed = failure('not-allowed', 'This page may not call the application.')

const tooLong = failure('invalid-input', 'This is too large for Slipway.', {
  advice: 'Shorten what you entered, and try again.',
})

const tooMany = failure('not-allowed', "Too many operations are running, so this one wasn't started.", {
  advice: 'Wait for one to finish, and try again.',
  retryable: true,
})

/** Created once: there may be thousands. */
const tooManyText = refusal(tooMany)

const unreadable = failure('invalid-input', "The input of the call can't be read.")

const noIdentifier = failure('invalid-input', 'The call has no unique identifier.')

/**
 * Handles a call and gives the outcome as JSON text. The contract's schema parses the input. An error of a handler goes
 * to `report` and becomes `internal`, which tells the page nothing about it but that the journal couldn't be read.
 */
export async function answerCall(
  call: ArrivedCall,
  handlers: Handlers,
  running: RunningCalls,
  report: (error: unknown) => void,
): Promise<string> {
  const { callId, input } = call
  // A flood of calls is refused without log lines, which would be a flood too.
  if (running.isFull()) return tooManyText
  if (!isCallId(callId)) return refusal(noIdentifier)
  if (typeof input !== 'string') return refusal(unreadable)
  if (input.length > longestInput) return refusal(tooLong)
  let parsed: unknown
  try {
    parsed = JSON.parse(input)
  } catch {
    return refusal(unreadable)
  }
  const began = performance.now()
  const outcome = await outcomeOf({ ...call, callId, input: parsed }, handlers, running, report)
  logCall(call.name, outcome.ok ? null : outcome.failure.code, performance.now() - began)
  return outcome.ok && outcome.value instanceof JsonText
    ? `{"ok":true,"value":${outcome.value.text}}`
    : JSON.stringify(outcome)
}

async function outcomeOf(
  arrived: ArrivedCall & { callId: string },
  handlers: Handlers,
  running: RunningCalls,
  report: (error: unknown) => void,
): Promise<Outcome<unknown>> {
  const { name, caller, callId, input } = arrived
  const parsed = calls[name].input.safeParse(input)
  if (!parsed.success) {
    return fail(
      failure('invalid-input', 'Some of the input is invalid.', {
        advice: 'Fix the problems below and try again.',
        issues: fieldIssues(parsed.error),
      }),
    )
  }
  const call = running.begin(caller, callId, environmentOf(parsed.data))
  if (!call) return fail(noIdentifier)
  const { signal } = call.controller
  const handler = handlers[name] as (
    input: unknown,
    signal: AbortSignal,
  ) => Outcome<unknown> | Promise<Outcome<unknown>>
  const handled = (async () => await handler(parsed.data, signal))()
  // A cancelled call counts until its handler has ended.
  const end = (): void => running.end(call)
  handled.then(end, end)
  const isAwaited = (): boolean => name in ends && isCancelled(signal)
  try {
    const outcome =
      (await raceCancellation(handled, signal)) ?? (isAwaited() ? await ends[name]?.(handled) : undefined)
    return !outcome || (signal.aborted && !isAwaited()) ? abandoned(signal) : outcome
  } catch (error) {
    if (signal.aborted && !isAwaited()) return abandoned(signal)
    report(error)
    if (error instanceof JournalError) return fail({ ...error.failure(), sent: 'maybe' })
    return fail(
      failure('internal', 'Something went wrong inside Slipway.', {
        advice: 'Try again. If it happens again, restart Slipway.',
        retryable: true,
        sent: 'maybe',
      }),
    )
  }
}

/** Failures that are part of normal use. */
const everyday: readonly FailureCode[] = ['cancelled', 'environment-changed', 'confirmation-needed']

/** From how long on a call counts as slow, in milliseconds. The log then has it at its usual level. */
const slowMs = 1_000

/** Logs a call: name, time and failure code, never the input. */
function logCall(name: CallName, code: FailureCode | null, durationMs: number): void {
  const about = { ms: Math.round(durationMs), code: code ?? undefined }
  if (code !== null && !everyday.includes(code)) log.warn('call', name, about)
  else if (durationMs >= slowMs) log.info('call', `${name} was slow`, about)
  else log.debug('call', name, about)
}

/** How long the end of an export is waited for once the operator cancelled it, in milliseconds. */
const exportEndMs = 5_000

/**
 * The ends of the calls that know what came of them when the operator cancelled: whether the request of a creation or a
 * change had left, and whether an export had replaced the file.
 */
const ends: Partial<
  Record<CallName, (handled: Promise<Outcome<unknown>>) => Promise<Outcome<unknown> | undefined>>
> = {
  'deployments.create': (handled) => handled,
  'life.change': (handled) => handled,
  'deployments.export': (handled) => raceTimeout(handled, exportEndMs),
}

/** Whether the operator cancelled a call. */
const isCancelled = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && (reason as Failure).code === 'cancelled'

/** The outcome of a call that nobody waits for any more. Its request to a service may still be running. */
function abandoned(signal: AbortSignal): Outcome<never> {
  return fail({ ...(signal.reason as Failure), sent: 'maybe' })
}

/** A failure as the text that crosses the bridge. */
function refusal(reason: Failure): string {
  return JSON.stringify(fail(reason))
}

function environmentOf(input: unknown): string | null {
  const id = (input as { environmentId?: unknown }).environmentId
  return typeof id === 'string' ? id : null
}

/** A call that is being handled. */
interface RunningCall {
  caller: number
  callId: string
  environmentId: string | null
  controller: AbortController
}

/** How many calls may run at once. The page rarely has more than a dozen. */
const maxRunning = 200

/** Whether a value is a call identifier of the page. */
function isCallId(callId: unknown): callId is string {
  return typeof callId === 'string' && callId.length <= 100 && /^[\w.-]+$/.test(callId)
}

/** The calls that are being handled. They can be cancelled by caller, by call or by environment. */
export class RunningCalls {
  readonly #calls = new Set<RunningCall>()
  #ending = 0

  /** Whether the limit of calls is reached. */
  isFull(): boolean {
    return this.#calls.size + this.#ending >= maxRunning
  }

  /**
   * Adds a call. Its signal aborts with the failure to answer. Null if the caller already has a call with this
   * identifier.
   */
  begin(caller: number, callId: string, environmentId: string | null): RunningCall | null {
    if (this.#find(caller, callId)) return null
    const call = { caller, callId, environmentId, controller: new AbortController() }
    this.#calls.add(call)
    return call
  }

  #find(caller: number, callId: unknown): RunningCall | undefined {
    return [...this.#calls].find((call) => call.caller === caller && call.callId === callId)
  }

  /**
   * Removes a call once its handler has ended. It counts until the next turn of the event loop, so that calls which end
   * at once can't block the loop.
   */
  end(call: RunningCall): void {
    this.#calls.delete(call)
    this.#ending += 1
    setImmediate(() => (this.#ending -= 1))
  }

  /** Cancels one call of a caller. An unknown identifier, or one of another caller, is ignored. */
  cancel(caller: number, callId: unknown): void {
    this.#find(caller, callId)?.controller.abort(cancelledFailure)
  }

  /** Cancels all calls of a window. */
  cancelAllOf(caller: number): void {
    for (const call of [...this.#calls]) if (call.caller === caller) call.controller.abort(cancelledFailure)
  }

  /** Cancels the calls about any environment but the current one. */
  keepEnvironment(currentId: string): void {
    for (const { environmentId, controller } of [...this.#calls]) {
      if (environmentId !== null && environmentId !== currentId) controller.abort(environmentChangedFailure)
    }
  }
}

interface NotingParts {
  environments: Pick<Environments, 'state' | 'destination'>
  journal: Pick<Journal, 'noteFailure'>
  /** It closes when Slipway quits, which ends the built-in service and connections first, so calls fail then. */
  reconciler: Pick<Reconciler, 'closing'>
  report: (error: unknown) => void
}

/** The calls whose failures the journal notes, under these names. A creation and a change have entries of their own. */
const noted: Partial<Record<CallName, string>> = {
  'deployments.page': 'List deployments',
  'deployments.get': 'Open a deployment',
  'deployments.status': 'Read the status of a deployment',
  'life.revisions': 'List revisions',
  'life.review': 'Review a change',
  'life.log': 'Read a log',
  'repositories.list': 'List repositories',
}

/** Failures of normal use: the operator left, or must fix or confirm something first. */
const ofNormalUse: readonly FailureCode[] = [
  'cancelled',
  'environment-changed',
  'invalid-input',
  'confirmation-needed',
]

/** The calls about the service of the current environment: they check themselves that it is still current. */
const ofCurrent = /^(?:deployments|repositories|life)\.(?!keptOffers|switchOn|failed)/

type AnyHandler = (
  input: { environmentId: string },
  signal: AbortSignal,
) => Outcome<unknown> | Promise<Outcome<unknown>>

/**
 * Handlers that note failures of the service in the journal, and do nothing about an environment that doesn't exist
 * (any more).
 */
export function noteFailures(
  handlers: Handlers,
  { environments, journal, reconciler, report }: NotingParts,
): Handlers {
  const exists = existsIn(environments)
  const nameOf = nameIn(environments)
  const accountOf = accountIn(environments)

  const noting =
    (action: string, handle: AnyHandler): AnyHandler =>
    async (input, signal) => {
      const startedAt = new Date()
      const { environmentId } = input
      // An edit meanwhile doesn't make it a failure of the other service.
      const before = accountOf(environmentId)
      const outcome = await handle(input, signal)
      if (
        outcome.ok ||
        signal.aborted ||
        reconciler.closing.aborted ||
        ofNormalUse.includes(outcome.failure.code)
      )
        return outcome
      const environmentName = nameOf(environmentId) ?? environmentId
      const place = { environmentId, environmentName, account: before ?? accountOf(environmentId) }
      void journal.noteFailure(place, action, startedAt, outcome.failure).catch(report)
      return outcome
    }

  const known =
    (handle: AnyHandler): AnyHandler =>
    (input, signal) =>
      typeof input.environmentId !== 'string' || exists(input.environmentId)
        ? handle(input, signal)
        : fail(notFound())

  return Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => {
      const action = noted[name as CallName]
      const handler = handle as AnyHandler
      if (action !== undefined) return [name, noting(action, handler)]
      return [name, ofCurrent.test(name) ? handler : known(handler)]
    }),
  ) as unknown as Handlers
}
