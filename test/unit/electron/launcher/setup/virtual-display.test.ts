import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { removeUnreachableDisplay, hasDisplay } from '../../../../../electron/launcher/setup/display.mjs'
import {
  ensureDisplayPrograms,
  findProgram,
} from '../../../../../electron/launcher/setup/system-libraries.mjs'
import { startVirtualDisplay } from '../../../../../electron/launcher/setup/virtual-display.mjs'

const canRun = process.platform === 'linux' && findProgram('Xvfb') && findProgram('xauth')

/** A client of an X server with this key, and the first byte of its answer: 1 lets it in, 0 refuses it. */
function connectTo(display: string, key: Buffer): Promise<{ answer: number | null; leave: () => void }> {
  const padded = (part: Buffer): Buffer => Buffer.concat([part, Buffer.alloc((4 - (part.length % 4)) % 4)])
  const name = Buffer.from(key.length > 0 ? 'MIT-MAGIC-COOKIE-1' : '')
  const head = Buffer.alloc(12)
  head.write('l')
  head.writeUInt16LE(11, 2)
  head.writeUInt16LE(name.length, 6)
  head.writeUInt16LE(key.length, 8)
  return new Promise((resolve) => {
    const socket = connect(`/tmp/.X11-unix/X${display.slice(1)}`)
    const leave = (): void => void socket.destroy()
    socket.once('connect', () => socket.write(Buffer.concat([head, padded(name), padded(key)])))
    socket.once('data', (piece: Buffer) => resolve({ answer: piece[0]!, leave }))
    socket.once('error', () => resolve({ answer: null, leave }))
  })
}

async function answerTo(display: string, key: Buffer): Promise<number | null> {
  const { answer, leave } = await connectTo(display, key)
  leave()
  return answer
}

afterEach(() => vi.unstubAllEnvs())

describe.runIf(process.platform === 'linux')('the named display', () => {
  it.each(['garbage', '97', ':', ':x', 'host:1x'])('is refused if it is not one: %s', async (display) => {
    await expect(hasDisplay({ DISPLAY: display })).rejects.toMatchObject({
      message: `DISPLAY is ${display}, but no display answers there.`,
      remedy: expect.stringContaining('env -u DISPLAY npm start') as string,
    })
  })

  it.each(['unix:/tmp/display', 'tcp/localhost:0'])(
    'is passed to Electron if it has another form: %s',
    async (display) => {
      expect(await hasDisplay({ DISPLAY: display })).toBe(true)
    },
  )

  it('is not needed', async () => {
    expect(await hasDisplay({})).toBe(false)
  })

  it('is not a display if the Wayland session has ended', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-wayland-'))
    const compositor = createServer().listen(join(folder, 'wayland-7'))
    await new Promise((resolve) => compositor.once('listening', resolve))
    const names = { XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: 'wayland-7' }
    const withPath = { WAYLAND_DISPLAY: join(folder, 'wayland-7') }
    for (const environment of [names, withPath]) {
      const before = { ...environment }
      await removeUnreachableDisplay(environment)
      expect(environment).toEqual(before)
      expect(await hasDisplay(environment)).toBe(true)
    }
    await new Promise((resolve) => compositor.close(resolve))
    for (const environment of [names, withPath, { WAYLAND_DISPLAY: 'wayland-7' }]) {
      await removeUnreachableDisplay(environment)
      expect(environment).not.toHaveProperty('WAYLAND_DISPLAY')
      expect(await hasDisplay(environment)).toBe(false)
    }
    rmSync(folder, { recursive: true })
  })
})

describe('a virtual display', () => {
  it('says what to do if nothing can be written to the folder for temporary files', async () => {
    vi.stubEnv('TMPDIR', '/dev/null/nowhere')
    await expect(startVirtualDisplay()).rejects.toMatchObject({
      message: expect.stringMatching(
        /^The folder for temporary files, \/dev\/null\/nowhere, isn't writable: /,
      ) as string,
      remedy: 'set TMPDIR to a folder that you may write to, or unset it, and run the command again.',
    })
  })

  it.runIf(canRun)(
    'accepts clients with its key, which only this user can read, and leaves nothing behind',
    async () => {
      const { environment, close } = await startVirtualDisplay()
      const file = environment.XAUTHORITY
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
      const key = readFileSync(file).subarray(-16)
      const inside = await connectTo(environment.DISPLAY, key)
      expect(inside.answer, 'with the key').toBe(1)
      expect(await answerTo(environment.DISPLAY, Buffer.alloc(0)), 'without a key').toBe(0)
      expect(await answerTo(environment.DISPLAY, Buffer.alloc(16, 7)), 'with another key').toBe(0)
      await close()
      expect(await answerTo(environment.DISPLAY, key), 'afterwards').toBeNull()
      expect(existsSync(dirname(file))).toBe(false)
    },
  )

  it.runIf(canRun)('ends with its last program unless it was ended before', async () => {
    const { environment, close } = await startVirtualDisplay()
    const key = readFileSync(environment.XAUTHORITY).subarray(-16)
    ;(await connectTo(environment.DISPLAY, key)).leave()
    await vi.waitFor(async () => expect(await answerTo(environment.DISPLAY, key)).toBeNull(), 15_000)
    await close()
  })

  it.runIf(findProgram('apt-get'))(
    'names the one command that installs its programs if that is not allowed here',
    async () => {
      const find = (program: string) => (program === 'apt-get' ? '/usr/bin/apt-get' : undefined)
      await expect(ensureDisplayPrograms({ find, root: false })).rejects.toMatchObject({
        message: 'Missing on this system (a virtual display): Xvfb, xauth.',
        remedy: 'sudo apt-get update && sudo apt-get install -y --no-install-recommends xauth xvfb',
      })
    },
  )
})
