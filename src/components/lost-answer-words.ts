import type { CreationEntry, Lookup } from '@contract'

/** What is known of a creation whose answer was lost. */
export interface LostAnswerWords {
  tone: 'good' | 'uncertain' | 'bad'
  /** What is known, one sentence. */
  title: string
  /** What it means and what one can do. */
  text: string
  /** Why there was no answer, and why the last look brought nothing to light; either may be missing. */
  because: string[]
}

const reasons: Record<NonNullable<Lookup['reason']>, string> = {
  'no-time': 'It has this name, but the service does not say when it was created.',
  'not-kept': 'It has this name and time, but it is not known what was sent.',
  unreadable: 'The list has entries that cannot be read; it may be among them.',
  incomplete: 'The list could not be read to its end; it may be further on.',
}

/**
 * Says what is known of an attempt whose answer was lost, or was lost at first.
 *
 * @param later whether a later attempt at the same name is known to have created it
 */
export function lostAnswerWords(entry: CreationEntry, later = false): LostAnswerWords {
  const words = wordsOf(entry)
  if (!later || entry.state !== 'unclear' || entry.lookup?.verdict !== 'not-found') return words
  return {
    ...words,
    title: `“${entry.name}” was created by a later attempt.`,
    text: 'Of this one nothing is there so far.',
  }
}

function wordsOf({ name, state, failure, lookup, lookFailure }: CreationEntry): LostAnswerWords {
  const quoted = `“${name}”`
  const because = [
    ...(failure ? [failure.message] : []),
    ...(lookFailure ? [`The last look got no answer: ${lookFailure.message}`] : []),
  ]
  if (state === 'created') {
    const title = `${quoted} was created.`
    if (lookup && lookup.verdict !== 'found') {
      return {
        tone: 'good',
        title,
        text: 'Its answer was lost; you said that the deployment that was found is this one. Nothing needs to be sent again.',
        because: [],
      }
    }
    return {
      tone: 'good',
      title,
      text: 'Its answer was lost, but it is in the list, with what was sent. Nothing needs to be sent again.',
      because: [],
    }
  }
  if (state === 'not-created') {
    return {
      tone: 'bad',
      title: `${quoted} was not created.`,
      text: 'It is not in the list long after it was sent.',
      because,
    }
  }
  const unclear = { tone: 'uncertain', because } as const
  switch (lookup?.verdict) {
    case undefined:
      return {
        ...unclear,
        title: `It is not known whether ${quoted} was created.`,
        text: 'Slipway looks for it in the list, now and then and whenever the service can be reached again.',
      }
    case 'found':
    case 'cannot-tell':
      return {
        ...unclear,
        title: `It cannot be told whether ${quoted} was created.`,
        text: reasons[lookup?.reason ?? 'incomplete'],
      }
    case 'different':
      return {
        ...unclear,
        title: `A deployment named ${quoted} is there, but it is not quite what was sent.`,
        text: 'It may be another one, or the service has changed what it was sent. Look at it before you send anything again.',
      }
    case 'not-found':
      return {
        ...unclear,
        title: `${quoted} is not there so far.`,
        text: lookup?.deployment
          ? 'The deployment of this name is from another time, and not what was sent. A service usually refuses a name that is taken.'
          : 'The service may never have read the request, or may still be at it. Slipway looks again by itself.',
      }
  }
}
