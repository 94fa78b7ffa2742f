import { type Answers, fail, failure, succeed } from '@contract'
import type { AllCaches } from './all-caches'

/** How many deployments of each environment are offered. */
const maxFound = 10

/** Lists the possible sides of a comparison, from the caches alone. */
export function createComparison(
  caches: Pick<AllCaches, 'ask'>,
): Pick<Answers<'comparison'>, 'comparison.find' | 'comparison.deployment'> {
  return {
    async 'comparison.find'({ search }, signal) {
      const query = { filters: {}, search, sort: { by: 'name' as const, descending: false } }
      const request = { query, offset: 0, limit: maxFound, snapshot: null }
      const answers = await caches.ask('page', { request }, { signal })
      return succeed({
        found: answers.flatMap((answer) =>
          answer.state === 'cached'
            ? answer.value.deployments.map(({ id, name }) => ({
                environmentId: answer.environmentId,
                id,
                name,
              }))
            : [],
        ),
        unread: answers.flatMap(({ environmentId, state }) => (state === 'failed' ? [environmentId] : [])),
      })
    },

    async 'comparison.deployment'({ environmentId, id }, signal) {
      const options = { environmentIds: [environmentId], signal }
      const [answer] = await caches.ask('deployment', { id }, options)
      if (answer?.state === 'failed') return fail(answer.failure)
      if (answer?.state === 'cached' && answer.value) return succeed(answer.value)
      return fail(answer?.state === 'cached' ? notCached : notSynchronised)
    },
  }
}

const notCached = failure('not-found', "This environment's cache doesn't have the deployment.", {
  advice: 'Switch to the environment and sync it, then compare again.',
})

const notSynchronised = failure('not-found', 'Nothing of this environment is cached.', {
  advice: 'Switch to the environment and sync it, then compare again.',
})
