/** The span in which something happened, by a text (ms since 1970). */
export interface TimeSpan {
  earliest: number
  latest: number
}

const hourMs = 3_600_000

/** How far a time of an unknown zone may be from the same time in UTC. No zone is further away. */
const furthestZoneMs = 14 * hourMs

/** The zone at the end of a time. Names such as CST are ambiguous. */
const zone = String.raw`(?: ?(?:Z|UTC|GMT|([+-])(\d\d):?(\d\d)?(?: UTC)?))`

/** ISO 8601, as SQL writes it too: a date, or a date and a time as exact as it is known. */
const isoTime = new RegExp(
  String.raw`^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?(${zone})?)?$`,
  'i',
)

/** HTTP's and mail's: "Sun, 22 Nov 2026 17:28:01 GMT". */
const mailTime = new RegExp(
  String.raw`^(?:[a-z]{3}, )?(\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::(\d\d))?)(${zone})?$`,
  'i',
)

/**
 * Reads a time of an answer. The interface promises a zone. A time without one may be in any zone, and a time that isn't
 * exact is anywhere within its span. Null for any other text.
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
 * Reads the header Date of an answer (ms since 1970). Null if it lacks the zone or the second, or is more than a day from this
 * machine's time: then one of the two clocks is useless, and nothing is known about the service's.
 *
 * @param now this machine's time when the answer came (ms since 1970)
 */
export function readDate(text: string | null | undefined, now: number): number | null {
  const time = readTime(text ?? null)
  if (time === null || time.latest - time.earliest > 1_000) return null
  return Math.abs(time.earliest - now) <= 24 * hourMs ? time.earliest : null
}

/**
 * @param utc the time as it would be in UTC
 * @param exactMs how exact it is
 * @param zoned the zone, and where that is an offset, its sign, hours and minutes
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
