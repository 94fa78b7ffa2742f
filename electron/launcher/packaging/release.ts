import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import manifest from '../../../package.json' with { type: 'json' }
import type { Release } from '../../contract/ipc/calls/updates'
import { inProject } from '../base/paths.mjs'

/**
 * Writes out/package/latest.json, which the update address is to answer for this version.
 *
 * @param keyFile the publisher's private key for Ed25519, as PEM
 * @param date seconds since 1970
 */
export function writeRelease(keyFile: string, notes: string, date: number): string {
  const { version } = manifest
  const file = inProject('out/package/latest.json')
  const release = { version, date: new Date(date * 1_000).toISOString(), notes, minimum: '0.0.0' }
  writeFileSync(file, signRelease(release, readFileSync(keyFile, 'utf8')))
  return file
}

/** A release with the publisher's signature of its exact text. The key is PEM. */
export function signRelease(release: Release, key: string): string {
  const signed = JSON.stringify(release)
  const signature = sign(null, Buffer.from(signed), createPrivateKey(key)).toString('base64')
  return `${JSON.stringify({ signed, signature }, null, 2)}\n`
}
