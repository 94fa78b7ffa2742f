import { describe, expect, it, vi } from 'vitest'
import { notBegun } from '../../../../../../../electron/main/features/deployments/creation/failures'
import {
  FullJournalError,
  JournalError,
  UnreadableJournalError,
} from '../../../../../../../electron/main/stored/journal'

const refused = (code: string): Error => Object.assign(new Error('No.'), { code })

describe('why nothing was sent', () => {
  it.each([
    [new FullJournalError(false), 'The journal is full, so nothing was sent.', 0],
    [new JournalError('No.'), "The journal couldn't be written, so nothing was sent.", 0],
    [
      new UnreadableJournalError(refused('EIO')),
      "The journal couldn't be read from disk (EIO), so nothing was sent.",
      0,
    ],
    [refused('EIO'), 'Something went wrong inside Slipway, so nothing was sent.', 1],
  ])('is named, and otherwise reported: %s', (error, message, reports) => {
    const report = vi.fn()
    expect(notBegun(error, report)).toMatchObject({ message, sent: 'no' })
    expect(report).toHaveBeenCalledTimes(reports)
  })
})
