import { app } from 'electron'

/** Sets the switches that Slipway needs. Call it before the application is ready. */
export function setSwitches(): void {
  // Chromium would ask the keyring for a key to encrypt cookies, and wait for one that hangs. There are no cookies.
  if (process.platform === 'linux') app.commandLine.appendSwitch('password-store', 'basic')
  // A page could leak data through DNS look-ups. X-DNS-Prefetch-Control doesn't stop explicit prefetches.
  app.commandLine.appendSwitch('blink-settings', 'dnsPrefetchingEnabled=false')
  // Chromium repeats a request when QUIC fails under it. A creation must leave once.
  app.commandLine.appendSwitch('disable-quic')
  // On Windows, Chromium would sign in to every intranet server with the user's account, unasked. No host has this
  // name (RFC 6761, 6.4).
  app.commandLine.appendSwitch('auth-server-whitelist', 'nobody.invalid')
  // Chromium, which reads it later, would write the keys of all traffic to a file.
  delete process.env['SSLKEYLOGFILE']
}
