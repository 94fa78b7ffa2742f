import type { Outcome } from '@contract'
import { request } from './client'
import { forgetSession, sendForEnvironment, withThrowAwaySession } from './electron-send'
import type { HttpAnswer, HttpClient } from './port'

/** Called with the outcome of every request to an environment's service. */
export type OutcomeListener = (environmentId: string, outcome: Outcome<HttpAnswer>) => void

/** The one HTTP client of the application, over Electron's sessions: one for each environment. */
export function createHttpClient(onOutcome: OutcomeListener = () => undefined): HttpClient {
  return {
    request: async (asked) => {
      const { environmentId } = asked.target
      if (environmentId === null) return await withThrowAwaySession((send) => request(asked, send))
      const outcome = await request(asked, sendForEnvironment(environmentId))
      onOutcome(environmentId, outcome)
      return outcome
    },
    forget: forgetSession,
  }
}
