import { app } from 'electron'

/**
 * The switches that a packaged program accepts: where it stores its data, and how it draws. Chromium and Node know
 * about two thousand more, and each version adds others. Many expose Slipway's secrets (debuggers, network logs, other
 * proxies and hosts, no sandbox).
 */
const accepted = [
  'user-data-dir',
  'disable-gpu',
  'disable-gpu-compositing',
  'disable-dev-shm-usage',
  'force-color-profile',
  'force-dark-mode',
  'force-device-scale-factor',
  'force-high-contrast',
  'force-renderer-accessibility',
  'high-dpi-support',
  'lang',
  'ozone-platform',
  'ozone-platform-hint',
]

/** Environment variables that let others read the traffic. Chromium reads them after this has run. */
const removedVariables = ['SSLKEYLOGFILE']

/** How a program was started. */
export interface CommandLine {
  args: readonly string[]
  platform: NodeJS.Platform
  /** The user's ID, on platforms that have one. */
  user: number | undefined
}

/**
 * Sets the switches that Slipway needs, removes variables that let others read the traffic, and ends a packaged program
 * that was started with a switch it doesn't accept. Call it before the application is ready. It can't undo what
 * Chromium has already done with switches and variables.
 */
export function checkCommandLine(): void {
  // Chromium would ask the keyring for a key to encrypt cookies, and wait for one that hangs. There are no cookies.
  if (process.platform === 'linux') app.commandLine.appendSwitch('password-store', 'basic')
  // A page could leak data through DNS look-ups. X-DNS-Prefetch-Control doesn't stop explicit prefetches.
  app.commandLine.appendSwitch('blink-settings', 'dnsPrefetchingEnabled=false')
  // Chromium repeats a request when QUIC fails under it. A creation must leave once.
  app.commandLine.appendSwitch('disable-quic')
  // On Windows, Chromium would sign in to every intranet server with the user's account, unasked. No host has this
  // name (RFC 6761, 6.4).
  app.commandLine.appendSwitch('auth-server-whitelist', 'nobody.invalid')
  for (const name of removedVariables) delete process.env[name]
  if (!app.isPackaged) return
  const { argv, platform } = process
  const found = refusedSwitches({ args: argv.slice(1), platform, user: process.getuid?.() })
  if (found.length === 0) return
  process.stderr.write(
    `Slipway doesn't start with ${found.join(', ')}: it could open its secrets to others. Start it without.\n`,
  )
  process.exit(1)
}

/** The switches of a command line that aren't accepted, without their values. */
export function refusedSwitches({ args, platform, user }: CommandLine): string[] {
  // Chromium reads "/name" as a switch on Windows, and everywhere "-name" as well as "--name".
  const form = platform === 'win32' ? /^(?:--|-|\/)([^=]+)/ : /^(?:--|-)([^=]+)/
  const refused = args.flatMap((arg) => {
    const name = arg === '--' ? undefined : form.exec(arg)?.[1]
    if (name === undefined || accepted.includes(name)) return []
    // As root, Chromium doesn't start with its sandbox.
    if (name === 'no-sandbox' && platform === 'linux' && user === 0) return []
    return [`--${name}`]
  })
  return [...new Set(refused)]
}
