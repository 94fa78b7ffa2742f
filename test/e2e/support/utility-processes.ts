import type { Slipway } from './slipway'

/** Process identifiers of the processes of a service, as Slipway names them. */
export const utilityProcesses = (slipway: Slipway, service: string): Promise<number[]> =>
  slipway.app.evaluate(
    ({ app }, wanted) =>
      app
        .getAppMetrics()
        .filter(({ name, serviceName }) => [name, serviceName].includes(wanted))
        .map(({ pid }) => pid),
    service,
  )

/** Whether a process has not ended yet. */
export function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch {
    return false
  }
}
