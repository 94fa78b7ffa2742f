import { statfsSync } from 'node:fs'

/** What is left free on a disk: this many bytes, or this part of a small one. */
const leftFree = { bytes: 512 * 1024 ** 2, part: 0.05 } as const

/** Answers up to this length are parsed without another look. */
const harmlessBytes = 1024 ** 2

/** Levels and numbers of arrays and objects that a larger body may have: parsing more would end the process. */
const most = { levels: 1_000, values: 2_000_000 } as const

/** There is no room for more. */
export class NoRoom extends Error {
  /** As the system says it. */
  readonly code = 'ENOSPC'
}

/** Throws `NoRoom` where writing to a folder would leave too little of its disk free. */
export function requireRoom(folder: string): void {
  const { bavail, bsize, blocks } = statfsSync(folder)
  if (bavail * bsize < Math.min(leftFree.bytes, leftFree.part * blocks * bsize)) {
    throw new NoRoom('too little of the disk is free')
  }
}

/** Whether an answer can be parsed: one of 32 MiB may hold as many levels or values as would end the process. */
export function isParseable(answer: Uint8Array | string): boolean {
  if (answer.length <= harmlessBytes) return true
  const body = typeof answer === 'string' ? Buffer.from(answer) : answer
  let levels = 0
  let values = 0
  let inString = false
  for (let index = 0; index < body.length; index += 1) {
    const sign = body[index]
    if (inString) {
      if (sign === backslash) index += 1
      else if (sign === quote) inString = false
    } else if (sign === quote) inString = true
    else if (sign === openBrace || sign === openBracket) {
      levels += 1
      values += 1
      if (levels > most.levels || values > most.values) return false
    } else if (sign === closeBrace || sign === closeBracket) levels -= 1
  }
  return true
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]')
