import { revisionSteps as steps } from '../api/revision-statuses'

/**
 * The state of a revision follows from when it starts and ends, which is known once it is created. So nothing is
 * written while it is built and deployed, and no instance has to take over another's work. Both databases store these
 * times in milliseconds, in columns with the same names.
 */

const stepStart = (step: number): string => `(starts_at + (ends_at - starts_at) * ${step} / ${steps.length})`

/** The SQL of a value for each step of a revision at `now`. */
const byStep = (now: string, value: (step: number) => string): string =>
  steps
    .slice(0, -1)
    .map((_, step) => `when ${now} < ${stepStart(step + 1)} then ${value(step)}`)
    .join(' ')
    .concat(` else ${value(steps.length - 1)}`)

/**
 * The SQL of a revision's status.
 *
 * @param now the SQL of the time in milliseconds
 */
export const statusAt = (now: string): string =>
  `case when interrupted_at is not null then 'INTERRUPTED'
        when ends_at is null or ends_at <= ${now} then 'DEPLOYED'
        when starts_at > ${now} then 'QUEUED'
        ${byStep(now, (step) => `'${steps[step]}'`)} end`

/** The SQL of the time in milliseconds since when a revision has had its status; null if from the beginning. */
export const statusSince = (now: string): string =>
  `case when interrupted_at is not null then interrupted_at
        when ends_at is null then null
        when ends_at <= ${now} then ends_at
        when starts_at > ${now} then null
        ${byStep(now, stepStart)} end`

/** The start and the end of a revision that stays queued: the last millisecond whose year has four digits. */
export const never = 253_402_300_799_999

/** The SQL of whether a revision is rolling out, or queued and will start. */
export const isPending = (now: string): string =>
  `(interrupted_at is null and ends_at > ${now} and ends_at < ${never})`

/** The SQL of whether a revision was deployed after its creation here. */
export const isDeployed = (now: string): string => `(interrupted_at is null and ends_at <= ${now})`
