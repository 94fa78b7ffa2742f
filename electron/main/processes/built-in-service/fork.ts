import { utilityProcess } from 'electron'
import { log } from '../../log'
import { logProcess } from '../../log/process-output'
import type { ServiceProcess } from './listening'

/** Starts a process of the built-in service from its program, `out/main/service.cjs`. */
export function forkBuiltInService(
  program: string,
  args: string[],
  variables: Record<string, string>,
): ServiceProcess {
  const child = utilityProcess.fork(program, args, {
    serviceName: 'Slipway built-in service',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  })
  logProcess(log, 'built-in service', child)
  return child
}
