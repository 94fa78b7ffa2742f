import { createHash } from 'node:crypto'
import type { Change, Observer } from '@contract/cache'
import type { Tags } from '../encryption/keys'

/** The content of a history row, besides the deployment's identifier and the time. */
export interface StoredEntry {
  name: string
  by: Observer
  /** The change happened after this time, in milliseconds; null if that isn't known. */
  previousAt: number | null
  /** The changes that one answer showed. */
  changes: Change[]
}

/** The tag of a row with its text. */
export const tagOfEntry = (tags: Tags, seq: number, key: string, seenAt: number, text: string): string =>
  tags.of('history', seq, key, seenAt, text)

/** The tag of the packed state before a row's changes. */
export const tagOfPacked = (tags: Tags, seq: number, key: string, packed: Uint8Array): string =>
  tags.of('earlier', seq, key, createHash('sha256').update(packed).digest('base64'))
