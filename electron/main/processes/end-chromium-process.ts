import { app } from 'electron'

/** Ends a service process of Chromium at once, such as `network.mojom.NetworkService`. Chromium starts it again. */
export function endChromiumProcess(serviceName: string): void {
  for (const { serviceName: name, pid } of app.getAppMetrics()) {
    if (name === serviceName) process.kill(pid, 'SIGKILL')
  }
}
