import { type Failure, failure } from '@contract'
import { type CacheReply, largestCache } from '@contract/cache'

export const ended = failure('cache', 'The cache process stopped.', {
  advice: 'It restarts automatically. Nothing at the service is affected.',
  retryable: true,
})

export const changed = failure('environment-changed', 'The environment now points to another service.', {
  advice: "Answers of the earlier service aren't kept. Try again.",
  retryable: true,
})

export const removed = failure('not-found', 'This environment no longer exists.')

/** Shown when a cache has reached its limit. */
export const tooLargeText = `The cache has reached its limit of ${largestCache.gigabytes} GB, or ${largestCache.gigabytesInMemory} GB for all caches in memory`

/** The failure of a reply from the cache process. */
export function failureOf({ code, message }: Extract<CacheReply, { ok: false }>): Failure {
  switch (code) {
    case 'disk-full':
      return failure('disk-full', "The cache couldn't be written: the disk is full or refuses writes.", {
        advice:
          'Free up disk space, or check the disk. Nothing at the service is affected, and the cache can still be read.',
      })
    case 'damaged':
      return failure('cache', 'The cache was damaged. It was set aside and a new one was created.', {
        advice: 'Sync to fill the new one. Nothing at the service is affected.',
        retryable: true,
      })
    case 'too-large':
      return failure('cache', `${tooLargeText}.`, {
        advice: 'Nothing at the service is affected, and the cache can still be read.',
      })
    case 'unreadable-answer':
      return failure('unreadable-answer', "The answer isn't in the expected format.")
    case 'not-open':
    case 'internal':
      return failure('cache', "The cache couldn't be used.", { advice: message, retryable: false })
  }
}
