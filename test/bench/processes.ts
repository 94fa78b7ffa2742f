import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Another program of the benchmarks, in a separate process that ends with this one. */
export interface Helper {
  process: ChildProcess
  /** The next message from it. */
  next: <T>() => Promise<T>
}

/** Starts a program of this folder. `electron` runs it in Electron's own Node. */
export function startHelper(name: string, args: string[], electron?: string): Helper {
  const child = fork(fileURLToPath(new URL(`${name}.mjs`, import.meta.url)), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    ...(electron === undefined
      ? {}
      : { execPath: electron, execArgv: [], env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } }),
  })
  return {
    process: child,
    next: <T>() =>
      new Promise<T>((resolve, reject) => {
        const onMessage = (message: unknown): void => {
          child.off('exit', onExit)
          resolve(message as T)
        }
        const onExit = (code: number | null): void => {
          child.off('message', onMessage)
          reject(new Error(`${name} ended with status ${code}`))
        }
        child.once('message', onMessage)
        child.once('exit', onExit)
      }),
  }
}

/** A service that answers with generated pages. */
export interface PageService {
  url: string
  setDelay: (ms: number) => Promise<void>
  close: () => void
}

export async function startPageService(size: number): Promise<PageService> {
  const helper = startHelper('page-service', [String(size)])
  const { url } = await helper.next<{ url: string }>()
  return {
    url,
    async setDelay(delayMs) {
      const done = helper.next()
      helper.process.send({ delayMs })
      await done
    },
    close: () => helper.process.disconnect(),
  }
}
