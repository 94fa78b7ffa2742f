import { app } from 'electron'

/**
 * The switches that a packaged program may be started with: where it keeps its data, and how it draws. Chromium and
 * Node know some two thousand more, and further ones with each version; many open what Slipway keeps secret (debuggers,
 * logs of the network, other proxies and hosts, no sandbox), so none but these is accepted.
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

/** Variables by which whoever starts the program could read along. Chromium looks at them once this has run. */
const removedVariables = ['SSLKEYLOGFILE']

/** How a program was started. */
export interface CommandLine {
  args: readonly string[]
  platform: NodeJS.Platform
  /** The user's number, where the platform has them. */
  user: number | undefined
}

/**
 * Sets the switches that Slipway needs, takes variables away by which others could read along, and ends a packaged
 * program at once when it was started with a switch that it does not accept. Must be called before the application is
 * ready: what Chromium does with switches and variables before that, nobody can stop.
 */
export function checkCommandLine(): void {
  // Chromium would ask the keyring for a key for cookies, of which there are none, and wait for a hanging one.
  if (process.platform === 'linux') app.commandLine.appendSwitch('password-store', 'basic')
  // A page could tell a name to whoever answers for it in DNS. X-DNS-Prefetch-Control does not stop an explicit wish.
  app.commandLine.appendSwitch('blink-settings', 'dnsPrefetchingEnabled=false')
  // Chromium sends a request again by itself when QUIC fails under it; a creation must leave once.
  app.commandLine.appendSwitch('disable-quic')
  // On Windows, Chromium would sign in with the user's account, unasked, to every server of the intranet. No host has
  // this name (RFC 6761, 6.4).
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

/** The switches of a command line that are not accepted, without their values. */
export function refusedSwitches({ args, platform, user }: CommandLine): string[] {
  // Chromium reads "/name" as a switch on Windows, and everywhere "-name" as well as "--name".
  const form = platform === 'win32' ? /^(?:--|-|\/)([^=]+)/ : /^(?:--|-)([^=]+)/
  const refused = args.flatMap((arg) => {
    const name = arg === '--' ? undefined : form.exec(arg)?.[1]
    if (name === undefined || accepted.includes(name)) return []
    // Root has no sandbox: Chromium does not start as root with it.
    if (name === 'no-sandbox' && platform === 'linux' && user === 0) return []
    return [`--${name}`]
  })
  return [...new Set(refused)]
}
