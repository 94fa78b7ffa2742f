import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  closeDatabase,
  openDatabase,
} from '../../../../../../electron/service/database/sqlite/connection/open'
import { repositoryTable } from '../../../../../../electron/service/database/sqlite/repositories'

const integrations = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
const urlOf = (id: number): string => `https://github.com/northwind/agent-${id}`

/** The shortest time of several runs, in milliseconds. */
function shortest(run: () => void): number {
  const times = Array.from({ length: 20 }, () => {
    const start = performance.now()
    run()
    return performance.now() - start
  })
  return Math.min(...times)
}

it('a repository is found by its URL as quickly among 20,000 as among 20', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-repositories-'))
  const database = openDatabase(folder, 'cloud')
  try {
    const repositories = repositoryTable(database)
    const [few, many] = integrations as [string, string]
    database.exec('begin')
    for (const [integration, count] of [
      [few, 20],
      [many, 20_000],
    ] as const) {
      for (let id = 0; id < count; id += 1) {
        const answer = { id, name: `agent-${id}`, owner: 'northwind', url: urlOf(id), default_branch: 'main' }
        repositories.insert({ ...answer, host_integration_id: integration }, { 'refs/heads/main': 'a' })
      }
    }
    database.exec('commit')
    const find = (integrationId: string, id: number) =>
      repositories.find({ integrationId, url: urlOf(id), refNames: ['refs/heads/main'] })
    expect(find(many, 19_999)).toMatchObject({ hasRepository: true, commit: 'a' })
    expect(find(few, 19_999)).toMatchObject({ hasIntegration: true, hasRepository: false })
    expect(shortest(() => find(many, 19_999))).toBeLessThan(10 * shortest(() => find(few, 19)))
  } finally {
    closeDatabase(database)
    rmSync(folder, { recursive: true, force: true })
  }
})
