import { existsSync, readFileSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { hasDisplay, startVirtualDisplay } from '../../../../electron/launcher/display'
import { findProgram } from '../../../../electron/launcher/system'
import { temporaryFolder } from '../../../support/temporary-folder'

const canRun = process.platform === 'linux' && findProgram('xvfb-run') && findProgram('xauth')

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

/** Whether there is a display, with these variables only. */
function hasDisplayWith(variables: Record<string, string>): Promise<boolean> {
  const none = { DISPLAY: undefined, WAYLAND_DISPLAY: undefined, XDG_RUNTIME_DIR: undefined }
  for (const [name, value] of Object.entries({ ...none, ...variables })) vi.stubEnv(name, value)
  return hasDisplay()
}

describe.runIf(process.platform === 'linux')('the named display', () => {
  it.each(['garbage', '97', ':', ':x', 'host:1x'])('is refused if it is not one: %s', async (display) => {
    await expect(hasDisplayWith({ DISPLAY: display })).rejects.toMatchObject({
      message: `DISPLAY is ${display}, but no display answers there.`,
      remedy: expect.stringContaining('env -u DISPLAY npm start') as string,
    })
  })

  it.each(['unix:/tmp/display', 'tcp/localhost:0'])(
    'is passed to Electron if it has another form: %s',
    async (display) => {
      expect(await hasDisplayWith({ DISPLAY: display })).toBe(true)
    },
  )

  it('is not needed', async () => {
    expect(await hasDisplayWith({})).toBe(false)
  })

  it('is not a display if the Wayland session has ended', async () => {
    const folder = temporaryFolder()
    const compositor = createServer().listen(join(folder, 'wayland-7'))
    await new Promise((resolve) => compositor.once('listening', resolve))
    const names = { XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: 'wayland-7' }
    const withPath = { WAYLAND_DISPLAY: join(folder, 'wayland-7') }
    for (const variables of [names, withPath]) expect(await hasDisplayWith(variables)).toBe(true)
    await new Promise((resolve) => compositor.close(resolve))
    for (const variables of [names, withPath, { WAYLAND_DISPLAY: 'wayland-7' }]) {
      expect(await hasDisplayWith(variables)).toBe(false)
      expect(process.env['WAYLAND_DISPLAY']).toBeUndefined()
    }
  })
})

describe('a virtual display', () => {
  it.runIf(canRun)('says why it cannot be started', async () => {
    vi.stubEnv('TMPDIR', '/dev/null/nowhere')
    await expect(startVirtualDisplay()).rejects.toMatchObject({
      message: expect.stringMatching(/can't be started.\n.*\/dev\/null\/nowhere.*Not a directory/) as string,
    })
  })

  it.runIf(canRun)(
    'accepts clients with its key, which only this user can read, and leaves nothing behind',
    async () => {
      const { environment, close } = await startVirtualDisplay()
      const { DISPLAY: display = '', XAUTHORITY: file = '' } = environment
      expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
      const key = readFileSync(file).subarray(-16)
      const inside = await connectTo(display, key)
      expect(inside.answer, 'with the key').toBe(1)
      expect(await answerTo(display, Buffer.alloc(0)), 'without a key').toBe(0)
      expect(await answerTo(display, Buffer.alloc(16, 7)), 'with another key').toBe(0)
      await close()
      await expect.poll(() => answerTo(display, key), { message: 'afterwards' }).toBeNull()
      expect(existsSync(dirname(file))).toBe(false)
    },
  )
})
