import { utilityProcess } from 'electron'
import type { ServiceProcess } from './listening'

/** Starts a process of the built-in service from its program, `out/main/service.cjs`. */
export function forkBuiltInService(
  program: string,
  args: string[],
  variables: Record<string, string>,
): ServiceProcess {
  return utilityProcess.fork(program, args, {
    serviceName: 'Slipway built-in service',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  })
}
