import { connect } from 'node:net'
import { findProgram } from './system-libraries.mjs'
import { SetupFailure } from './steps.mjs'

const connectTimeLimit = 2_000

/**
 * Refuses to go on where no window can be shown, before Electron crashes over it. Only Linux can lack a
 * display.
 *
 * @throws {SetupFailure}
 */
export async function checkDisplay() {
  if (process.platform !== 'linux' || process.env.WAYLAND_DISPLAY) return
  const display = process.env.DISPLAY
  if (!display)
    throw new SetupFailure('There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set).', remedy())
  if (!(await answers(display))) {
    throw new SetupFailure(`DISPLAY is ${display}, but no display answers there.`, remedy())
  }
}

/**
 * Chromium's switches for the display that there is: Wayland has to be asked for in older versions.
 *
 * @returns {string[]}
 */
export function displaySwitches() {
  const onlyWayland = process.platform === 'linux' && process.env.WAYLAND_DISPLAY && !process.env.DISPLAY
  return onlyWayland ? ['--ozone-platform-hint=auto'] : []
}

function remedy() {
  const start = 'on a virtual display with: xvfb-run -a npm start'
  const own = 'run npm start in a desktop session (or over ssh -X), or'
  if (findProgram('xvfb-run') && findProgram('xauth')) return `${own} ${start}`
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  return `${own}, after ${sudo}apt-get install -y xvfb xauth, ${start}`
}

/**
 * Whether an X server listens at an address like ":1", "unix:1.0" or "host:10.0".
 *
 * @param {string} display
 * @returns {Promise<boolean>} true as well for an address of another form, which is left to Electron
 */
async function answers(display) {
  const parts = /^(.*):(\d+)(?:\.\d+)?$/.exec(display)
  if (!parts || parts[1]?.includes('/')) return true
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
