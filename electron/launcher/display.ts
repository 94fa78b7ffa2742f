import { connect, type NetConnectOpts } from 'node:net'
import { resolve } from 'node:path'
import { execa } from 'execa'
import { lastLines, SetupFailure } from './base.mjs'
import { findProgram } from './system'

/**
 * Whether there is a display for the window. Only Linux can lack one. Forgets a WAYLAND_DISPLAY that doesn't answer, as
 * in a terminal that has outlived its session: Electron would crash.
 *
 * @returns false if none is named
 * @throws {SetupFailure} if DISPLAY names one that doesn't answer
 */
export async function hasDisplay(): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const { WAYLAND_DISPLAY: wayland, XDG_RUNTIME_DIR: folder = '/', DISPLAY: display } = process.env
  if (wayland && (await reachable({ path: resolve(folder, wayland) }))) return true
  delete process.env.WAYLAND_DISPLAY
  if (!display) return false
  // Electron has to judge an address with a path or a protocol.
  if (display.includes('/')) return true
  const [, host, number] = /^(.*):(\d+)(?:\.\d+)?$/.exec(display) ?? []
  const address =
    host && host !== 'unix' ? { host, port: 6000 + Number(number) } : { path: `/tmp/.X11-unix/X${number}` }
  if (await reachable(address)) return true
  throw new SetupFailure(
    `DISPLAY is ${display}, but no display answers there.`,
    'run npm start in a desktop session or over ssh -X, or on a virtual display with: env -u DISPLAY npm start',
  )
}

const reachable = (address: NetConnectOpts): Promise<boolean> =>
  new Promise((settle) => {
    const socket = connect({ timeout: 2_000, ...address })
    const answer = (isReachable: boolean) => () => {
      socket.destroy()
      settle(isReachable)
    }
    socket.once('connect', answer(true)).once('error', answer(false)).once('timeout', answer(false))
  })

/** Chromium's switches for the display. Older versions use Wayland only on request. */
export const displaySwitches = (): string[] =>
  process.platform === 'linux' && process.env.WAYLAND_DISPLAY && !process.env.DISPLAY
    ? ['--ozone-platform-hint=auto']
    : []

/**
 * Starts a virtual display that is large enough for the window and that only this user can reach. It ends with `close`,
 * or with the launcher. Ctrl+C in a terminal doesn't reach it: the application needs it to quit in order.
 *
 * @returns the variables that lead programs to it
 */
export async function startVirtualDisplay(): Promise<{
  environment: Record<string, string>
  close: () => Promise<unknown>
}> {
  const holder = execa(
    findProgram('xvfb-run') ?? 'xvfb-run',
    [
      // A server that starts anew, because its last client has left, misses the signal that ends it.
      ...['--auto-servernum', '--server-args=-screen 0 1440x900x24 -noreset'],
      // It stays until its input ends.
      ...['sh', '-c', 'echo "$DISPLAY $XAUTHORITY"; read end'],
    ],
    { detached: true, stdin: 'pipe', all: true, reject: false },
  )
  const close = (): Promise<unknown> => {
    holder.stdin.end()
    return holder
  }
  const started = await Promise.race([
    new Promise<string>((settle) => holder.stdout.once('data', (line) => settle(String(line)))),
    holder.then(({ all }) => all),
  ])
  const [, address, authority] = /^(:\d+) (\S+)\n$/.exec(started) ?? []
  if (address && authority) {
    return { environment: { DISPLAY: address, XAUTHORITY: authority, WAYLAND_DISPLAY: '' }, close }
  }
  await close()
  throw new SetupFailure(
    `The virtual display can't be started.${lastLines(started)}`,
    'fix the cause, or run npm start in a desktop session or over ssh -X.',
  )
}
