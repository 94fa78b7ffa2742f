/** Rules about revisions and logs that the window needs too. Free of zod, which takes long to load there. */

/** Whether a revision's creation, build or deployment failed. */
export const isFailedRevision = (status: string): boolean => /FAILED$/.test(status)

/** Whether a revision is on its way: it soon has another status without a request. */
export const isRevisionUnderWay = (status: string): boolean =>
  /^(?:CREATING|QUEUED|AWAITING_|BUILDING|DEPLOYING)/.test(status)

/** The longest part of a log that is saved, in characters. */
export const longestSavedLog = 5_000_000
