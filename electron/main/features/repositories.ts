import { type Answers, succeed } from '@contract'
import { readAnswer } from '../processes/answers'
import type { ServiceClient } from '../processes/cache-client'
import type { Environments } from '../environments'
import { askService } from '../environments/known'

/**
 * Repositories over the HTTP client (interface: List repositories of a forge integration). If an integration's list
 * succeeds, it is stored with its environment. `report` gets errors of that.
 */
export function createRepositories(
  environments: Environments,
  http: ServiceClient,
  report: (error: unknown) => void,
): Answers<'repositories'> {
  return {
    'repositories.list': async ({ environmentId, integrationId }, signal) => {
      const read = await askService(environments, environmentId, signal, async (target) => {
        const answer = await http.request({
          cachedAs: { op: 'write-repositories', integrationId },
          target,
          method: 'GET',
          path: `/v1/integrations/forge/repohost/${encodeURIComponent(integrationId)}/repos`,
          signal,
        })
        if (!answer.ok) return answer
        return await readAnswer(answer.value, { kind: 'repositories' }, 'a list of repositories')
      })
      if (!read.ok) return read
      // Nothing waits for this: the keychain may be slow, and the list doesn't need it.
      void environments.rememberIntegration(environmentId, integrationId).catch(report)
      return succeed({ environmentId, integrationId, ...read.value, fetchedAt: new Date().toISOString() })
    },
  }
}
