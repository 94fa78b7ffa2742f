import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { temporaryFolder } from './service-process'

/**
 * A small disk in memory, with a file that takes some of it. An ordinary user may mount it in a namespace of their own.
 */
interface SmallDisk {
  /** The folder that becomes it. */
  folder: string
  megabytes: number
  /** Megabytes of `ballast`. */
  ballast: number
}

const inNamespace = ['unshare', '--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child']

const mount =
  'mount -t tmpfs -o "size=$1m" tmpfs "$0" && head -c "$2"000000 /dev/zero > "$0/ballast" && shift 2 && exec "$@"'

/** The command that runs the one after it on a small disk. Once it is killed, so is all that it runs. */
export function onSmallDisk({ folder, megabytes, ballast }: SmallDisk): string[] {
  return [...inNamespace, 'sh', '-c', mount, folder, String(megabytes), String(ballast)]
}

/** Whether this system lets its users have namespaces. */
export function canMount(): boolean {
  const folder = temporaryFolder()
  const [program, ...args] = onSmallDisk({ folder, megabytes: 8, ballast: 1 })
  const { status } = spawnSync(program!, [...args, 'true'])
  rmSync(folder, { recursive: true })
  return status === 0
}

/** Removes the ballast, as an operator would, through a process that sees the disk. */
export function makeRoom(pid: number, { folder }: Pick<SmallDisk, 'folder'>): void {
  rmSync(`/proc/${pid}/root${folder}/ballast`)
}
