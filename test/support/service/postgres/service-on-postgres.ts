import { rmSync } from 'node:fs'
import { makeCluster, startPostgres } from './postgres-server'

/** Starts the PostgreSQL on which `startService` then puts its data. vitest calls it before the suite. */
export default async function startSuiteServer(): Promise<() => Promise<void>> {
  const cluster = makeCluster()
  process.env.SLIPWAY_TEST_CLUSTER = cluster
  const server = await startPostgres()
  process.env.SLIPWAY_TEST_POSTGRES = server.url('postgres')
  return async () => {
    await server.dispose()
    rmSync(cluster, { recursive: true, force: true })
  }
}
