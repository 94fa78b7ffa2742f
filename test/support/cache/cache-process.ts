import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Rolldown } from 'vite'
import type { ForkedStore } from '../../../electron/main/processes/store-process'
import { projectFolder } from '../../../electron/launcher/base.mjs'

/** The program of the cache process for Node: Node's own channel replaces what Electron provides. */
const frame = `
  const { EventEmitter } = require('node:events')
  process.parentPort = Object.assign(new EventEmitter(), { postMessage: (message) => process.send(message) })
  process.on('message', (data) => process.parentPort.emit('message', { data, ports: [] }))
  process.on('disconnect', () => process.exit())
`

/** The real cache process, in Node. It can be started several times. */
export interface CacheProgram {
  fork: () => ForkedStore
  /** The processes that were started, the last one at the end. */
  started: ChildProcess[]
  /** Ends all processes and removes the program. */
  remove: () => void
}

/** The code of a program, as one file. */
async function bundled(entry: string): Promise<string> {
  const built = (await build({
    configFile: false,
    root: projectFolder,
    logLevel: 'error',
    resolve: { alias: { '@contract': join(projectFolder, 'electron/contract') } },
    ssr: { noExternal: true, external: ['libsql'] },
    build: {
      ssr: join(projectFolder, entry),
      write: false,
      rollupOptions: { output: { format: 'cjs', codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput
  return built.output[0].code
}

/** Builds the programs of the cache process. */
export async function buildCacheProgram(): Promise<CacheProgram> {
  // Inside the project, so that it finds libsql.
  const folder = mkdtempSync(join(projectFolder, 'node_modules', '.cache-process-'))
  const program = join(folder, 'cache.cjs')
  writeFileSync(program, frame + (await bundled('electron/cache/index.ts')))
  const started: ChildProcess[] = []
  return {
    started,
    fork() {
      const child = fork(program, [], { serialization: 'advanced', stdio: 'ignore' })
      started.push(child)
      return {
        postMessage: (message) => void child.send(message as object, () => undefined),
        onMessage: (listener) => child.on('message', listener),
        onExit: (listener) => child.once('exit', () => listener()),
        kill: () => void child.kill('SIGKILL'),
      }
    },
    remove() {
      for (const child of started) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
