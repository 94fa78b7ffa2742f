/** The time span of an event (ms since 1970), as exactly as a text says. */
export interface TimeSpan {
  earliest: number
  latest: number
}

const hourMs = 3_600_000

/** The largest difference between a time in an unknown zone and the same time in UTC. No zone is further from it. */
const furthestZoneMs = 14 * hourMs

/** The zone at the end of a time. Names such as CST are ambiguous, so they don't count. */
const zone = String.raw`(?: ?(?:Z|UTC|GMT|([+-])(\d\d):?(\d\d)?(?: UTC)?))`

/** ISO 8601, also as SQL writes it: a date, or a date and a time of any precision. */
const isoTime = new RegExp(
  String.raw`^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?(${zone})?)?$`,
  'i',
)

/** The format of HTTP and mail: "Sun, 22 Nov 2026 17:28:01 GMT". */
const mailTime = new RegExp(
  String.raw`^(?:[a-z]{3}, )?(\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::(\d\d))?)(${zone})?$`,
  'i',
)

/**
 * Reads a time from an answer. The interface promises a zone. A time without one may be in any zone. An imprecise time
 * is anywhere within its span. Null for any other text.
 */
export function readTime(text: string | null): TimeSpan | null {
  const iso = isoTime.exec(text ?? '')
  if (iso) {
    const [, day, minute, second, fraction, ...zoned] = iso
    const exact = `${day}T${minute ?? '00:00'}:${second ?? '00'}.${fraction ?? '0'}Z`
    const exactMs = minute === undefined ? 24 * hourMs : second === undefined ? 60_000 : 1_000
    return spanOf(Date.parse(exact), fraction === undefined ? exactMs : 0, zoned)
  }
  const mail = mailTime.exec(text ?? '')
  if (!mail) return null
  const [, moment, second, ...zoned] = mail
  return spanOf(Date.parse(`${moment} UTC`), second === undefined ? 60_000 : 1_000, zoned)
}

/**
 * Reads the header Date of an answer (ms since 1970). Null if it lacks the zone or the second, or is more than a day
 * from this machine's time: then one of the two clocks is wrong, and the service's isn't known.
 *
 * @param now this machine's time when the answer arrived (ms since 1970)
 */
export function readDate(text: string | null | undefined, now: number): number | null {
  const time = readTime(text ?? null)
  if (time === null || time.latest - time.earliest > 1_000) return null
  return Math.abs(time.earliest - now) <= 24 * hourMs ? time.earliest : null
}

/**
 * @param utc the time as if it were in UTC
 * @param exactMs its precision
 * @param zoned the zone and, if that is an offset, its sign, hours and minutes
 */
function spanOf(
  utc: number,
  exactMs: number,
  [named, sign, hours, minutes = '0']: (string | undefined)[],
): TimeSpan | null {
  if (Number.isNaN(utc)) return null
  if (named === undefined) return { earliest: utc - furthestZoneMs, latest: utc + exactMs + furthestZoneMs }
  const offset = sign === undefined ? 0 : Number(hours) * hourMs + Number(minutes) * 60_000
  const earliest = sign === '-' ? utc + offset : utc - offset
  return { earliest, latest: earliest + exactMs }
}
