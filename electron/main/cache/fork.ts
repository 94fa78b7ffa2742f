import { utilityProcess } from 'electron'
import type { CacheProcess } from '.'

/** Starts the cache process from its program, `out/main/cache.cjs`. */
export function forkCache(program: string): CacheProcess {
  const child = utilityProcess.fork(program, [], { serviceName: 'Slipway cache', stdio: 'ignore' })
  return {
    postMessage: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onExit: (listener) => child.once('exit', listener),
    kill() {
      // One that hangs in a library may not get to end itself.
      if (child.pid === undefined) child.kill()
      else process.kill(child.pid, 'SIGKILL')
    },
  }
}
