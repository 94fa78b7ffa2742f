import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port'
import { postgresPassword, programs, queryAt, settings, userOf } from './postgres-server'
import { temporaryFolder } from '../service-process'
import { makeRoom, onSmallDisk } from '../small-disk'

/** A PostgreSQL server of which a part is on a small disk. */
interface SmallPostgres {
  /** The connection string of its database. */
  url: string
  /** Makes room on the disk. */
  makeRoom: () => void
  dispose(): Promise<void>
}

/** The words of a command as a shell reads them. No word may contain a quotation mark. */
const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ')

/**
 * Makes and starts a server. It is started again whenever it ends, as a system does with its services.
 *
 * @param part what is on the small disk: all but the write-ahead log, or that alone
 */
export async function startSmallPostgres(part: 'data' | 'log'): Promise<SmallPostgres> {
  const folder = temporaryFolder()
  const disk =
    part === 'data'
      ? { folder: temporaryFolder(), megabytes: 64, ballast: 24 }
      : { folder: temporaryFolder(), megabytes: 24, ballast: 12 }
  const placeOf = (each: typeof part): string => join(each === part ? disk.folder : folder, each)
  const password = join(folder, 'password')
  writeFileSync(password, postgresPassword)
  const port = await freePort()
  const url = `postgres://slipway:${postgresPassword}@127.0.0.1:${port}/postgres`
  const options = { ...settings, port: String(port), unix_socket_directories: '' }
  const make = [
    ...[join(programs(), 'initdb'), '-D', placeOf('data'), `--waldir=${placeOf('log')}`, '--wal-segsize=1'],
    ...[
      '-U',
      'slipway',
      '-A',
      'password',
      `--pwfile=${password}`,
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
  ]
  const run = [
    ...[join(programs(), 'postgres'), '-D', placeOf('data')],
    ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  // PostgreSQL doesn't run as root, which mounted the disk. In a nested namespace, the same account has another number.
  const { uid, gid } = userOf('nobody')!
  const [program, ...words] = [
    ...onSmallDisk(disk),
    ...['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`],
    ...['sh', '-c', `${quoted(make)} && while :; do ${quoted(run)}; sleep 0.2; done`],
  ]
  const child = spawn(program!, words, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const isReady = (): Promise<boolean> =>
    queryAt(url, 'select').then(
      () => true,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL's disk couldn't be made: ${child.exitCode}.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url,
    makeRoom: () => makeRoom(child.pid!, disk),
    async dispose() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
      rmSync(disk.folder, { recursive: true, force: true })
    },
  }
}
