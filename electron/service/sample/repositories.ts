import { sampleIntegrationId } from '@contract'
import type { RepositoryAnswer } from '../api/schemas'
import type { Random } from './random'
import { owners, subjects, tasks } from './words'

const count = 30

/** The repositories of the sample's only integration. */
export function sampleRepositories(random: Random): RepositoryAnswer[] {
  return Array.from({ length: count }, (_, index) => {
    const owner = random.pick(owners)
    const name = `${subjects[index]}-${random.pick(tasks)}`
    return {
      host_integration_id: sampleIntegrationId,
      id: 410_200_000 + index * 7_919 + random.between(0, 7_000),
      name,
      owner,
      url: `https://github.com/${owner}/${name}`,
      default_branch: random.weighted([
        ['main', 8],
        ['master', 2],
        ['develop', 1],
        ['release/2026-q4', 1],
      ]),
    }
  })
}
