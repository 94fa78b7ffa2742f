import type { UpdatesState } from '@contract/ipc/calls/own'
import type { CallInput, CreationEntry, DeploymentDetail, NetworkSettings, Outcome } from '@contract'

/** An environment of the harness. */
export interface HarnessEnvironment {
  id: string
  baseUrl: string
  network: NetworkSettings
}

/** The calls of the harness, with their answers. */
export interface HarnessCalls {
  /** Opens the journal in a folder, and reconciles its unconfirmed attempts. */
  open: {
    input: { folder: string; environments: HarnessEnvironment[]; timeLimitMs: number }
    output: null
  }
  create: {
    input: Omit<CallInput<'deployments.create'>, 'confirmedName'>
    output: Outcome<DeploymentDetail>
  }
  /** Requests a list as a connection check does, without an environment. */
  check: { input: { baseUrl: string; network: NetworkSettings }; output: Outcome<null> }
  /** Looks for a newer version: the state afterwards, and why an answer was ignored. */
  updates: {
    input: { file: string; address: string; key: string; version: string }
    output: { state: UpdatesState; ignored: string[] }
  }
  look: { input: { environmentId: string; attemptId: string }; output: Outcome<CreationEntry> }
  /** The attempts in the journal, oldest first. */
  attempts: { input: null; output: CreationEntry[] }
  /** Stops all work, so that another journal can be opened. */
  close: { input: null; output: null }
}

export type HarnessCall = keyof HarnessCalls

/** A call to the harness. The answer has the same number. */
export interface Asked {
  number: number
  call: HarnessCall
  input: unknown
}

/** `error` says why there is no answer: a fault of the harness itself. */
export type Answered = { number: number; output: unknown } | { number: number; error: string }
