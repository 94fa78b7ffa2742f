import {
  type CallOutput,
  fail,
  failure,
  type Failure,
  type Outcome,
  type ParsedCallInput,
  succeed,
} from '@contract'
import type { LifeOperation, Offers } from '@contract/life/offers'
import { askService } from '../../environments/current-environment'
import type { Environments } from '../../environments/model/types'
import type { HttpClient, HttpTarget } from '../../http/types'
import { readAnswer } from '../../processes/answers'
import { fileNameOf, saveChosen } from '../../window/dialogs/chosen-files'
import { createOffersReader, logRequest, revisionsPath } from './offers'

type LifeCall = 'life.offers' | 'life.revisions' | 'life.log' | 'life.saveLog'

/** What services offer beside the interface: the calls `life.*` of the contract, about the current environment. */
export type Life = {
  [Name in LifeCall]: (
    input: ParsedCallInput<Name>,
    signal: AbortSignal,
  ) => Promise<Outcome<CallOutput<Name>>>
}

/** How many lines of a log are asked for at once. */
const linesAtOnce = 1_000

/** @param askWhere asks the operator where to save a file with a suggested name; null if they cancel */
export function createLife(
  environments: Environments,
  http: HttpClient,
  askWhere: (suggestedName: string) => Promise<string | null>,
): Life {
  const offersReader = createOffersReader(http)

  /** Calls the service if it offers an operation. An operation that turns out to be missing is no longer offered. */
  async function ask<Answer>(
    { environmentId, id }: { environmentId: string; id: string },
    operation: LifeOperation,
    signal: AbortSignal,
    call: (target: HttpTarget, offers: Offers) => Promise<Outcome<Answer>>,
  ): Promise<Outcome<Answer>> {
    return await askService(environments, environmentId, signal, async (target) => {
      const offers = await offersReader.of(target, id, signal)
      if (!offers.ok) return offers
      if (!offers.value.operations.includes(operation)) return fail(notOffered)
      const answer = await call(target, offers.value)
      if (!answer.ok && isMissing(answer.failure, id)) offersReader.without(target, operation)
      return answer
    })
  }

  return {
    'life.offers': ({ environmentId, id }, signal) =>
      askService(environments, environmentId, signal, (target) => offersReader.of(target, id, signal)),

    'life.revisions': (input, signal) =>
      ask(input, 'revisions', signal, async (target) => {
        const { id, limit, offset } = input
        const query = new URLSearchParams({ limit: String(limit), offset: String(offset) })
        const answer = await http.request({ target, method: 'GET', path: revisionsPath(id), query, signal })
        if (!answer.ok) return answer
        const job = { kind: 'revisions', limit, offset } as const
        const read = await readAnswer(answer.value, job, (reason) => unlike('a list of revisions', reason))
        return read.ok ? succeed({ ...read.value, readAt: new Date().toISOString() }) : read
      }),

    'life.log': ({ type, revisionId, from, ...input }, signal) =>
      ask(input, 'logs', signal, async (target, { logCall }) => {
        const { method, path, query, place } = logRequest(logCall ?? 'revision', input.id, revisionId, type)
        const asked = { ...query, limit: String(linesAtOnce), ...(from === null ? {} : { [place]: from }) }
        const answer = await http.request({
          target,
          method,
          path,
          signal,
          ...(method === 'GET'
            ? { query: new URLSearchParams(asked) }
            : { body: { ...asked, limit: linesAtOnce } }),
        })
        if (!answer.ok) return answer
        return await readAnswer(answer.value, { kind: 'log' }, (reason) => unlike('a log', reason))
      }),

    'life.saveLog': async ({ baseName, text }) => {
      const path = await askWhere(`${fileNameOf(baseName, 'log')}.log`)
      if (path === null) return succeed({ path })
      const reason = await saveChosen(path, text, 'The log')
      return reason ? fail(reason) : succeed({ path })
    },
  }
}

const notOffered = failure('not-allowed', "This environment's service doesn't offer that.", {
  advice: 'The deployment says what the service offers.',
})

/** Whether a service turns out not to have an operation, though its document names it. */
const isMissing = ({ status, serviceWords }: Failure, id: string): boolean =>
  status === 405 || status === 501 || (status === 404 && !serviceWords?.includes(id))

const unlike = (what: string, reason: string): Failure =>
  failure('unreadable-answer', `The answer isn't ${what}.`, {
    advice: `Something other than the service may be answering there (${reason}).`,
    retryable: true,
  })
