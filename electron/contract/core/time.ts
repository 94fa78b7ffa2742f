/** ISO 8601 with its usual looseness: a space for the T, no separators, any precision, any form of zone or none. */
const isoTime =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[t ]+(\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?(?: ?(?:(z|utc|gmt)|([+-])(\d\d):?(\d\d)?(?: [a-z]{1,5})?))?$/i

/** The time of HTTP and mail: "Sun, 22 Nov 2026 17:28:01 GMT". */
const mailTime =
  /^(?:[a-z]{3,9}, )?(\d{1,2}[ -][a-z]{3}[ -]\d{2,4} \d\d:\d\d(?::\d\d)?)(?: ?(?:z|utc|gmt|([+-]\d{4})))?$/i

/** The form of most services, and of `Date.toISOString`, which JavaScript reads faster. */
const usualTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z$/

const dayAlone = /^\s*\d{4}-\d\d-\d\d\s*$/

/**
 * Reads a time of an answer as milliseconds since 1970. Everything that shows, compares or sorts a service's times uses
 * this. A time without a zone is UTC. A number, also as text, counts seconds, milliseconds, microseconds or nanoseconds
 * since 1970, whichever gives a date of our days. Null for anything else, and for 0 and the year 1, with which
 * services say "never".
 */
export function readTime(value: string | number | null | undefined): number | null {
  if (typeof value === 'number') return readNumber(value)
  const text = value?.trim() ?? ''
  if (usualTime.test(text)) return valid(Date.parse(text))
  if (/^\d{9,19}(?:\.\d+)?$/.test(text)) return readNumber(Number(text))
  const iso = isoTime.exec(text)
  return valid(iso ? readIso(iso) : readMail(text))
}

function readNumber(value: number): number | null {
  const ms = value < 1e11 ? value * 1_000 : value < 1e14 ? value : value < 1e17 ? value / 1e3 : value / 1e6
  return value < 1e8 ? null : valid(Math.floor(ms))
}

function readIso(parts: RegExpExecArray): number {
  const [, year, month, day, hours = '00', minutes = '00', seconds = '00', fraction = '', , sign = '+'] =
    parts
  const [zoneHours = '00', zoneMinutes = '00'] = parts.slice(10)
  const isLeap = seconds === '60'
  const time = `${hours}:${minutes}:${isLeap ? '59' : seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`
  const ms = Date.parse(`${year}-${month}-${day}T${time}${sign}${zoneHours}:${zoneMinutes}`)
  return isLeap ? ms + 1_000 : ms
}

function readMail(text: string): number {
  const mail = mailTime.exec(text)
  return mail ? Date.parse(`${mail[1]!.replaceAll('-', ' ')} ${mail[2] ?? 'UTC'}`) : Number.NaN
}

/** Null unless it is a date after 1970 that `Date` can hold. `Date.UTC` takes the year 1 for 1901. */
const valid = (ms: number): number | null => (ms > 0 && ms <= 8.64e15 ? ms : null)

/**
 * A time of an answer as ISO 8601 in UTC, so that texts sort as moments do. A text that is no time, or only a day, stays
 * as it came.
 */
export function utcTime(value: string | number): string | null {
  const ms = typeof value === 'string' && dayAlone.test(value) ? null : readTime(value)
  if (ms !== null) return new Date(ms).toISOString()
  return typeof value === 'string' ? value : null
}
