import { type Answers, fail, type Outcome, succeed } from '@contract'
import type { Choice } from '@contract/life/choices'
import type { LifeOperation, Offers } from '@contract/life/offers'
import { askService } from '../../environments/known'
import type { HttpTarget } from '../../http/client'
import { readAnswer } from '../../processes/answers'
import { fileNameOf, saveChosen } from '../../window/chosen-files'
import type { FileDialogs } from '../../window/file-dialogs'
import { type ChangeContext, createChanges } from './change'
import { type FailedRevisions, isMissing, notOffered, readRevisionPage } from './revisions'
import { logRequest } from './offers'

/** How many lines of a log are asked for at once. */
const linesAtOnce = 1_000

/** What services offer beside the interface, about the current environment. */
export function createLife(
  {
    environments,
    http,
    journal,
    offers: offersReader,
    failures,
  }: ChangeContext & { failures: FailedRevisions },
  askWhere: FileDialogs['askWhere'],
): Answers<'life'> {
  const changes = createChanges({ environments, http, offers: offersReader, journal })

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
      if (!answer.ok && isMissing(answer.failure)) {
        offersReader.without(target, operation, answer.failure)
      }
      return answer
    })
  }

  return {
    'life.offers': ({ environmentId, id, again }, signal) =>
      askService(environments, environmentId, signal, (target) => offersReader.of(target, id, signal, again)),

    'life.keptOffers': ({ environmentId }) => offersReader.kept(environmentId),
    'life.switchOn': ({ environmentId, writes }) => offersReader.switchOn(environmentId, writes),

    'life.choices': ({ environmentId, id }, signal) =>
      askService(environments, environmentId, signal, async (target) => {
        const offers = await (id === null
          ? offersReader.kept(environmentId)
          : offersReader.of(target, id, signal))
        const operations = offers.ok ? (offers.value?.operations ?? []) : []
        const read = async (operation: LifeOperation, path: string): Promise<Choice[]> => {
          if (!operations.includes(operation)) return []
          const answer = await http.request({ target, method: 'GET', path, signal })
          const list = answer.ok ? await readAnswer(answer.value, { kind: 'choices' }, 'a list') : answer
          // The operator may enter anything, so a failure only leaves out suggestions.
          return list.ok ? list.value : []
        }
        const [integrations, listeners] = await Promise.all([
          read('integrations', '/v1/integrations/forge/repohost/install'),
          read('listeners', '/v2/listeners'),
        ])
        return succeed({ integrations, listeners })
      }),

    'life.revisions': (input, signal) =>
      ask(input, 'revisions', signal, (target) => readRevisionPage(http, target, input, signal)),

    ...changes,
    'life.failed': failures,

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
        return await readAnswer(answer.value, { kind: 'log' }, 'a log')
      }),

    'life.saveLog': async ({ baseName, text }) => {
      const path = await askWhere('log', `${fileNameOf(baseName, 'log')}.log`)
      return await saveChosen(path, text, 'The log')
    },
  }
}
