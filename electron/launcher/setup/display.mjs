import { connect } from 'node:net'
import { resolve as resolvePath } from 'node:path'
import { SetupFailure } from '../base/progress.mjs'

const connectTimeLimit = 2_000

/**
 * Removes WAYLAND_DISPLAY from the environment if nothing answers there, as in a terminal that has outlived its
 * session. Electron would crash.
 *
 * @param {NodeJS.ProcessEnv} [environment]
 */
export async function removeUnreachableDisplay(environment = process.env) {
  const { WAYLAND_DISPLAY: display, XDG_RUNTIME_DIR: folder = '/' } = environment
  if (process.platform !== 'linux' || !display) return
  if (!(await reachable({ path: resolvePath(folder, display) }))) delete environment.WAYLAND_DISPLAY
}

/**
 * Whether there is a display for the window. Only Linux can lack one.
 *
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<boolean>} false if none is named
 * @throws {SetupFailure} if one is named that does not answer: Electron would crash
 */
export async function hasDisplay(environment = process.env) {
  if (process.platform !== 'linux' || environment.WAYLAND_DISPLAY) return true
  const display = environment.DISPLAY
  if (!display) return false
  if (await answers(display)) return true
  throw new SetupFailure(
    `DISPLAY is ${display}, but no display answers there.`,
    'run npm start in a desktop session or over ssh -X, or on a virtual display with: env -u DISPLAY npm start',
  )
}

/**
 * Chromium's switches for the display. Older versions use Wayland only on request.
 *
 * @returns {string[]}
 */
export function displaySwitches() {
  const onlyWayland = process.platform === 'linux' && process.env.WAYLAND_DISPLAY && !process.env.DISPLAY
  return onlyWayland ? ['--ozone-platform-hint=auto'] : []
}

/**
 * Whether an X server listens at an address like ":1", "unix:1.0" or "host:10.0".
 *
 * @param {string} display
 * @returns {Promise<boolean>} also true for an address with a path or a protocol, which Electron has to judge
 */
async function answers(display) {
  if (display.includes('/')) return true
  const parts = /^(.*):(\d+)(?:\.\d+)?$/.exec(display)
  if (!parts) return false
  const [, host = '', number = '0'] = parts
  if (host && host !== 'unix') return reachable({ host, port: 6000 + Number(number) })
  const socket = `/tmp/.X11-unix/X${number}`
  return (await reachable({ path: socket })) || (await reachable({ path: `\0${socket}` }))
}

/**
 * @param {import('node:net').NetConnectOpts} address
 * @returns {Promise<boolean>}
 */
function reachable(address) {
  return new Promise((resolve) => {
    const socket = connect(address)
    /** @param {boolean} outcome */
    const settle = (outcome) => {
      socket.destroy()
      resolve(outcome)
    }
    socket.setTimeout(connectTimeLimit, () => settle(false))
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })
}
