import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { end, firstLine } from './processes'

/** A display for windows: its address, and a function that ends it. */
export interface Display {
  environment: Record<string, string>
  close: () => Promise<void>
}

/**
 * Starts a virtual display (Xvfb chooses a free number) that is large enough for a window of 2560x1440. On platforms
 * other than Linux, the tests use the desktop.
 */
export async function startDisplay(): Promise<Display> {
  if (process.platform !== 'linux') return { environment: {}, close: async () => {} }
  const xvfb = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '2560x1440x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const number = await firstLine(xvfb, xvfb.stdio[3] as Readable, 'Xvfb')
  return { environment: { DISPLAY: `:${number}`, WAYLAND_DISPLAY: '' }, close: () => end(xvfb) }
}
