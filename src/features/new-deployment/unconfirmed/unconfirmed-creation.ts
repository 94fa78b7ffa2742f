import { type CreationEntry, failureText, foundIn, isNameTaken, type Lookup } from '@contract'
import { compact } from '@/ui/format/words'

/** What is known of an unconfirmed creation, or of one that was unconfirmed at first. */
export interface UnconfirmedCreationText {
  tone: 'good' | 'uncertain' | 'bad'
  /** What is known, in one sentence. */
  title: string
  /** What it means and what to do. */
  text: string
  /** Why there was no answer, and why the last lookup failed. Either may be missing. */
  because: string[]
}

/**
 * Describes an attempt that is unconfirmed, or was at first.
 *
 * @param later whether a later attempt at the same name is known to have created it
 */
export function unconfirmedCreationText(entry: CreationEntry, later = false): UnconfirmedCreationText {
  const { state, failure, lookFailure } = entry
  const [title, text] = describeAttempt(entry, later)
  const because = compact([
    failure?.message,
    failure?.serviceWords && `Service response: "${failure.serviceWords}"`,
    lookFailure && !isElsewhere(entry) && `The last check got no answer: ${lookFailure.message}`,
  ])
  if (state === 'created') return { tone: 'good', title, text, because: [] }
  return { tone: state === 'refused' ? 'bad' : 'uncertain', title, text, because }
}

/** Whether the environment leads to another service than the attempt was sent to. */
const isElsewhere = ({ lookFailure }: CreationEntry): boolean => lookFailure?.code === 'other-service'

/** The title and the text of an attempt. */
type Description = [title: string, text: string]

function describeAttempt(entry: CreationEntry, later: boolean): Description {
  const { state, failure, lookup } = entry
  const quoted = `"${entry.name}"`
  switch (state) {
    case 'created': {
      const noConfirmation = failure?.sent === 'answered' ? "The answer didn't say so" : 'Its answer was lost'
      const how =
        lookup && lookup.verdict !== 'found'
          ? `; you said ${describeClaim(lookup)}`
          : ', but it is in the list, with what was sent. Nothing needs to be sent again.'
      return [`${quoted} was created.`, noConfirmation + how]
    }
    case 'refused':
      return [`${quoted} was rejected.`, 'Nothing was created.']
    case 'dismissed':
      return [
        `Creation of ${quoted} was never confirmed.`,
        'You dismissed it. The list shows whether the service has created it.',
      ]
    case 'sending':
    case 'unconfirmed':
      return describeUnconfirmed(entry, quoted, later)
  }
}

const isThere = 'A deployment with this name is there'

/** Describes why a lookup leaves it to the operator, or to the next one. */
function describeReason(lookup: Lookup): string {
  const { reason, deployment } = lookup
  const isOneThere = deployment !== null
  switch (reason) {
    case 'alike':
      return `None in the list has exactly this name, but "${deployment?.name}" is there. The service may have changed the name that was sent, so only you can say whether it is yours.`
    case 'no-time':
      return `${isThere}, with what was sent, but its creation time is missing. So only you can say whether it is yours.`
    case 'not-kept':
      return `${isThere}. What was sent was too large to be kept, so only you can say whether it is yours.`
    case 'several':
    case 'repeated':
      return foundIn(lookup).length > 1
        ? describeSeveral(lookup)
        : 'What is there fits more than one attempt at this name. Only you can say which one created it.'
    case 'unreadable':
      return isOneThere
        ? `${isThere}, with what was sent, but the list has entries that can't be read, and one of them may have the name too. So only you can say whether it is yours.`
        : "The list has entries that can't be read; it may be among them."
    case 'incomplete':
    case 'taken':
    case null:
      return isOneThere
        ? `${isThere}, with what was sent, but the list couldn't be read to its end, so there may be another. Check again, or say whether it is yours.`
        : "The list couldn't be read to its end; it may be further on."
  }
}

/** Describes several deployments of an attempt's name. */
function describeSeveral(lookup: Lookup): string {
  const shown = foundIn(lookup).length
  const { count = shown, differences, reason } = lookup
  const sent = differences.length > 0 ? '' : `, ${count === 2 ? 'both' : 'each'} with what was sent`
  const means =
    reason === 'several'
      ? 'they fit more than one attempt at this name.'
      : `it may have been created ${count === 2 ? 'twice' : 'more than once'}.`
  const beyond = shown < count ? ` ${shown} of them are named here; the list has all.` : ''
  return `${count} deployments of this name are there${sent}: ${means} Open them: only you can say which one is yours.${beyond}`
}

/** What the operator said about an attempt, and what they should know about that. */
function describeClaim({ count, differences }: Lookup): string {
  if (count === undefined)
    return 'that the deployment that was found is this one. Nothing needs to be sent again.'
  const others = count === 2 ? 'the other one' : 'the others'
  const sent = differences.length > 0 ? '' : `, ${count === 2 ? 'both' : 'each'} with what was sent,`
  return `which of ${count} deployments of this name${sent} is this one. Check whether you need ${others}.`
}

const takenText =
  "The service says that the name is taken. If that deployment isn't yours, dismiss this and choose another name."

function describeUnconfirmed(entry: CreationEntry, quoted: string, later: boolean): Description {
  const { failure, lookup, lookFailure } = entry
  const isTaken = failure !== null && isNameTaken(failure)
  const unconfirmed = `Creation of ${quoted} is unconfirmed.`
  if (later && lookup?.verdict === 'not-found') {
    return [`${quoted} was created by a later attempt.`, "This attempt hasn't created anything yet."]
  }
  if (lookFailure && isElsewhere(entry)) return [unconfirmed, failureText(lookFailure)]
  switch (lookup?.verdict) {
    case undefined:
      return [
        unconfirmed,
        'Slipway checks the list for it from time to time, and when the service can be reached again.',
      ]
    case 'found':
    case 'cannot-tell':
      return [unconfirmed, describeReason(lookup)]
    case 'different':
      return lookup.differences.join() === 'created_at'
        ? [
            `A deployment named ${quoted} is there, with what was sent, but is older than this attempt.`,
            isTaken
              ? takenText
              : 'It is probably an earlier one, unless a clock was wrong. Look at it, then say that it is yours, send again or dismiss this.',
          ]
        : [
            `A deployment named ${quoted} is there, but differs from what was sent.`,
            isTaken
              ? takenText
              : 'It may be another one, or the service has changed what it was sent. Look at it, then say that it is yours, send again or dismiss this.',
          ]
    case 'not-found':
  }
  if (lookup.reason === 'taken') {
    return isTaken
      ? [
          `${quoted} is taken.`,
          'Another attempt has created the deployment with this name. Dismiss this and choose another name.',
        ]
      : [
          `${quoted} was created by another attempt.`,
          "This attempt hasn't created anything yet. If nothing is missing, dismiss this.",
        ]
  }
  return isTaken
    ? [
        `${quoted} is taken, but isn't in the list.`,
        'The service may still be creating what you sent; Slipway keeps checking. If it never appears, the tracing project of an earlier deployment holds the name: choose another one.',
      ]
    : [
        `${quoted} hasn't appeared yet.`,
        'The request may not have arrived, or may still be processing. Slipway keeps checking; you decide whether to send it again.',
      ]
}
