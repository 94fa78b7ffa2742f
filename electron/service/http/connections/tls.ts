import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import { Refusal } from '../../base/refusal'
import type { Log } from '../../base/log'

/** PEM files: the certificate with its issuers', and its key. */
export interface TlsFiles {
  cert: string
  key: string
}

/** How often to check the files for changes, in milliseconds. Not every file system and kind of link reports them. */
const lookMs = 5_000

/**
 * Reads the files.
 *
 * @throws {Refusal} if they can't be read, or don't belong together
 */
export function readTls({ cert, key }: TlsFiles): { cert: Buffer; key: Buffer } {
  try {
    const read = { cert: readFileSync(cert), key: readFileSync(key) }
    createSecureContext(read)
    return read
  } catch (error) {
    throw new Refusal(
      `Cannot use the certificate ${cert} with the key ${key}: ${(error as Error).message}. ` +
        'Name a certificate and its own key, both in PEM and without a passphrase.',
    )
  }
}

/** A server's certificate that follows its files. */
export interface FollowedTls {
  /** Reads the files again. Keeps the present certificate if they can't be used. */
  reload(): void
  /** Stops following them. */
  stop(): void
}

/** Reads the files again whenever they change. Open connections keep their certificate. */
export function followTls(server: Server, files: TlsFiles, log: Log): FollowedTls {
  function reload(): void {
    try {
      server.setSecureContext(readTls(files))
      log.note(`The certificate ${files.cert} was read again.`)
    } catch (error) {
      log.problem(`The certificate stays as it was. ${(error as Error).message}`)
    }
  }

  const names = Object.values(files) as string[]
  for (const name of names) watchFile(name, { interval: lookMs, persistent: false }, reload)
  return {
    reload,
    stop: () => names.forEach((name) => unwatchFile(name, reload)),
  }
}
