import { expect, it } from 'vitest'
import { runInForeground } from '../../../../electron/launcher/system'

/** Starts a script in Node and waits until it writes to standard error. */
function start(script: string): Promise<{ stop: () => void; status: Promise<number> }> {
  return new Promise((resolve) => {
    const stop = new AbortController()
    const status = runInForeground(process.execPath, ['-e', script], {
      stop: stop.signal,
      takeErrors: () => resolve({ stop: () => stop.abort(), status }),
    })
  })
}

const stays = `setInterval(() => {}, 1000); console.error('runs')`

it('stops a program that may exit in its own way', async () => {
  const { stop, status } = await start(`process.on('SIGTERM', () => process.exit(7)); ${stays}`)
  stop()
  expect(await status).toBe(process.platform === 'win32' ? 128 + 15 : 7)
})
