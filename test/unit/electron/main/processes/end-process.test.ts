import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, vi } from 'vitest'
import { endProcess } from '../../../../../electron/main/processes/end-process'

const hanging =
  'process.on("SIGTERM", () => undefined); process.stdout.write("up"); setInterval(() => undefined, 1000)'

it("ends a process that doesn't end itself, and does nothing if it has ended", async () => {
  const child = spawn(process.execPath, ['-e', hanging], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  const { pid } = child
  const kill = vi.fn()
  endProcess({ pid, kill })
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  // As in Electron's exit event.
  expect(() => endProcess({ pid, kill })).not.toThrow()
  expect(kill).not.toHaveBeenCalled()
})

it("leaves one that doesn't run yet to Electron", () => {
  const kill = vi.fn()
  endProcess({ pid: undefined, kill })
  expect(kill).toHaveBeenCalledOnce()
})
