import type { CallInput, CreationEntry, DeploymentDetail, NetworkSettings, Outcome } from '@contract'

/** An environment of the harness. */
export interface HarnessEnvironment {
  id: string
  baseUrl: string
  network: NetworkSettings
}

/** What can be asked of the harness, and what it answers. */
export interface HarnessCalls {
  /** Opens the journal in a folder, and follows up what it has unconfirmed. */
  open: {
    input: { folder: string; environments: HarnessEnvironment[]; timeLimitMs: number }
    output: null
  }
  create: {
    input: Omit<CallInput<'deployments.create'>, 'confirmedName'>
    output: Outcome<DeploymentDetail>
  }
  /** Asks a service for a list as a check of a draft does, which belongs to no environment. */
  check: { input: { baseUrl: string; network: NetworkSettings }; output: Outcome<null> }
  look: { input: { environmentId: string; attemptId: string }; output: Outcome<CreationEntry> }
  /** The attempts in the journal, oldest first. */
  attempts: { input: null; output: CreationEntry[] }
  /** Stops what goes on, so that another journal can be opened. */
  close: { input: null; output: null }
}

export type HarnessCall = keyof HarnessCalls

/** A question as it goes to the harness; the answer comes with the same number. */
export interface Asked {
  number: number
  call: HarnessCall
  input: unknown
}

/** `error` says why there is no answer: a fault of the harness itself. */
export type Answered = { number: number; output: unknown } | { number: number; error: string }
