import { app } from 'electron'

/**
 * Switches with which whoever starts the program could read along, take it over or take its protection away. Of
 * Chromium's many these are the ones that reach what Slipway keeps secret.
 */
const refused = [
  'browser-subprocess-path',
  'disable-site-isolation-trials',
  'disable-web-security',
  'gpu-launcher',
  'ignore-certificate-errors',
  'ignore-certificate-errors-spki-list',
  'inspect',
  'inspect-brk',
  'inspect-brk-node',
  'inspect-port',
  'js-flags',
  'load-extension',
  'log-net-log',
  'remote-allow-origins',
  'remote-debugging-address',
  'remote-debugging-pipe',
  'remote-debugging-port',
  'renderer-cmd-prefix',
  'ssl-key-log-file',
  'unsafely-treat-insecure-origin-as-secure',
  'utility-cmd-prefix',
]

/**
 * Sets the switches that Slipway needs, and ends a packaged program at once when it was started with one of the
 * refused ones. Must be called before the application is ready.
 */
export function checkCommandLine(): void {
  // Chromium would ask the keyring for a key for cookies, of which there are none, and wait for a hanging one.
  if (process.platform === 'linux') app.commandLine.appendSwitch('password-store', 'basic')
  // A page could tell a name to whoever answers for it in DNS. X-DNS-Prefetch-Control does not stop an explicit wish.
  app.commandLine.appendSwitch('blink-settings', 'dnsPrefetchingEnabled=false')
  if (!app.isPackaged) return
  const found = refused.filter((name) => app.commandLine.hasSwitch(name))
  if (found.length === 0) return
  const names = found.map((name) => `--${name}`).join(', ')
  process.stderr.write(
    `Slipway does not start with ${names}: it would open its secrets to others. Start it without.\n`,
  )
  process.exit(1)
}
