import { type CreationEntry, failureText, foundIn, isNameTaken, type Lookup } from '@contract'

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

/** Why only the operator can tell, or nobody yet. The other reasons depend on what was found. */
const reasons: Record<Exclude<NonNullable<Lookup['reason']>, 'alike' | 'repeated'>, string> = {
  'no-time':
    "A deployment with this name is there, but its creation time doesn't tell whether it is yours: it is missing, has no time zone, or is minutes off. So only you can say.",
  clock:
    "A deployment with this name is there, with what was sent. Its creation time can't be trusted: Slipway was restarted or this computer's clock changed since. So only you can say whether it is yours.",
  'not-kept': 'A deployment with this name is there, but what was sent is no longer known.',
  'no-service': "A deployment with this name is there, but it isn't known which service this was sent to.",
  secrets:
    "A deployment with this name is there, with what was sent. Values of secrets can't be compared, so only you can say whether it is yours.",
  thin: "A deployment with this name is there, with what was sent. That is too little to tell it from someone else's, so only you can say whether it is yours.",
  variables:
    "A deployment with this name is there, with what was sent. Values of environment variables can't be compared, so only you can say whether it is yours.",
  more: 'A deployment with this name is there, with what was sent and more that was not sent, such as a command or a container. Look at it: only you can say whether it is yours.',
  several: 'What is there fits more than one attempt at this name. Only you can say which one created it.',
  unreadable: "The list has entries that can't be read; it may be among them.",
  credentials:
    "It hasn't been found, but the environment's request headers, proxy or certificate rule have changed since it was sent, or may have: this may be the list of another account or service. Set them back and check again, or look for it there before you send anything again.",
  incomplete: "The list couldn't be read to its end; it may be further on.",
}

/**
 * Describes an attempt that is unconfirmed, or was at first.
 *
 * @param later whether a later attempt at the same name is known to have created it
 */
export function unconfirmedCreationText(entry: CreationEntry, later = false): UnconfirmedCreationText {
  const text = describeAttempt(entry)
  if (!later || entry.state !== 'unclear' || entry.lookup?.verdict !== 'not-found') return text
  return {
    ...text,
    title: `"${entry.name}" was created by a later attempt.`,
    text: "This attempt hasn't created anything yet.",
  }
}

function describeAttempt(entry: CreationEntry): UnconfirmedCreationText {
  const { name, state, failure, lookup, lookFailure } = entry
  const quoted = `"${name}"`
  const nameTaken = failure !== null && isNameTaken(failure)
  const elsewhere = lookFailure?.code === 'other-service'
  const noConfirmation = failure?.sent === 'answered' ? "The answer didn't say so" : 'Its answer was lost'
  const because = [
    ...(failure ? [failure.message] : []),
    ...(failure?.serviceWords ? [`Service response: "${failure.serviceWords}"`] : []),
    ...(lookFailure && !elsewhere ? [`The last check got no answer: ${lookFailure.message}`] : []),
  ]
  switch (state) {
    case 'created':
      return {
        tone: 'good',
        title: `${quoted} was created.`,
        text:
          lookup && lookup.verdict !== 'found'
            ? `${noConfirmation}; you said ${describeClaim(lookup)}`
            : `${noConfirmation}, but it is in the list, with what was sent. Nothing needs to be sent again.`,
        because: [],
      }
    case 'refused':
      return {
        tone: 'bad',
        title: `${quoted} was rejected.`,
        text: 'The service rejected it, and the list shows that nothing was created.',
        because,
      }
    case 'not-created':
      return {
        tone: 'bad',
        title: `${quoted} wasn't created.`,
        text: `It was missing from two complete lists, at least 10 minutes apart. ${
          nameTaken
            ? 'The service says that the name is taken: the tracing project of an earlier deployment may hold it. Choose another name.'
            : 'You decide whether to send it again.'
        }`,
        because,
      }
    case 'sending':
    case 'unclear': {
      if (!elsewhere) return { tone: 'uncertain', ...describeUnconfirmed(quoted, lookup, nameTaken), because }
      const text = failureText(lookFailure)
      return { tone: 'uncertain', title: unconfirmed(quoted), text, because }
    }
  }
}

const unconfirmed = (quoted: string): string => `Creation of ${quoted} is unconfirmed.`

function describeReason(lookup: Lookup): string {
  const { reason, deployment, fitting } = lookup
  if (reason === 'alike') {
    return `None in the list has exactly this name, but "${deployment?.name}" is there. The service may have changed the name that was sent, so only you can say whether it is yours.`
  }
  if (reason === 'credentials' && deployment !== null) {
    const there = deployment.name === undefined ? 'A deployment with this name' : `"${deployment.name}"`
    return `${there} is there, but the environment's request headers, proxy or certificate rule have changed since this was sent, or may have: it may be in another account or service, so only you can say whether it is yours.`
  }
  if (fitting !== undefined || reason === 'repeated') return describeSeveral(lookup)
  return reasons[reason ?? 'incomplete']
}

/** Describes several deployments that fit an attempt. */
function describeSeveral(lookup: Lookup): string {
  const shown = foundIn(lookup).length
  const { fitting = shown } = lookup
  const there = `${fitting} deployments of this name are there, ${fitting === 2 ? 'both' : 'each'} with what was sent:`
  const means =
    lookup.reason === 'several'
      ? 'they fit more than one attempt at this name.'
      : `it may have been created ${fitting === 2 ? 'twice' : 'more than once'}.`
  const beyond = shown < fitting ? ` ${shown} of them are named here; the list has all.` : ''
  return `${there} ${means} Open them: only you can say which one is yours.${beyond}`
}

/** What the operator said about an attempt, and what they should know about that. */
function describeClaim({ fitting }: Lookup): string {
  if (fitting === undefined)
    return 'that the deployment that was found is this one. Nothing needs to be sent again.'
  const others = fitting === 2 ? 'the other one' : 'the others'
  return `which of ${fitting} deployments of this name, ${fitting === 2 ? 'both' : 'each'} with what was sent, is this one. Check whether you need ${others}.`
}

function describeUnconfirmed(
  quoted: string,
  lookup: Lookup | null,
  nameTaken: boolean,
): { title: string; text: string } {
  switch (lookup?.verdict) {
    case undefined:
      return {
        title: unconfirmed(quoted),
        text: 'Slipway checks the list for it from time to time, and when the service can be reached again.',
      }
    case 'found':
    case 'cannot-tell':
      return { title: unconfirmed(quoted), text: describeReason(lookup) }
    case 'different':
      if (lookup.differences.join() === 'created_at') {
        return {
          title: `A deployment named ${quoted} is there, with what was sent, but from another time.`,
          text: 'It may be an earlier one, or a clock was wrong. Look at it before you send anything again.',
        }
      }
      return {
        title: `A deployment named ${quoted} is there, but differs from what was sent.`,
        text: 'It may be another one, or the service has changed what it was sent. Look at it before you send anything again.',
      }
    case 'not-found':
      if (nameTaken && !lookup?.deployment) {
        return {
          title: `${quoted} is taken, but isn't in the list.`,
          text: 'The service may still be creating what you sent; Slipway keeps checking. If it never appears, the tracing project of an earlier deployment holds the name: choose another one.',
        }
      }
      return {
        title: `${quoted} hasn't appeared yet.`,
        text: lookup?.deployment
          ? 'The deployment with this name is from another time, and not what was sent. A service usually rejects a name that is taken.'
          : 'The request may not have arrived, or may still be processing. Slipway keeps checking.',
      }
  }
}
