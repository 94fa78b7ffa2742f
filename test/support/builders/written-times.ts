import fc from 'fast-check'

/** A format in which services write times, with a time zone; UTC where the format names none. */
export interface WayOfWriting {
  format: keyof typeof formats
  /** East of Greenwich, in minutes. */
  zone: number
}

const two = (number: number): string => String(Math.abs(number)).padStart(2, '0')

const offset = (zone: number, colon = ':'): string =>
  `${zone < 0 ? '-' : '+'}${two(Math.trunc(zone / 60))}${colon}${two(zone % 60)}`

/** For each format: the local time, as an instant of UTC with the same digits, and the zone. */
const formats = {
  whole: (_local: Date, _zone: number, at: Date) => at.toISOString(),
  seconds: (_local: Date, _zone: number, at: Date) => `${at.toISOString().slice(0, 19)}Z`,
  minutes: (_local: Date, _zone: number, at: Date) => `${at.toISOString().slice(0, 16)}Z`,
  offset: (local: Date, zone: number) => `${local.toISOString().slice(0, 23)}000${offset(zone)}`,
  'offset of SQL': (local: Date, zone: number) =>
    `${local.toISOString().replace('T', ' ').slice(0, 19)} ${offset(zone, '')}`,
  'without a zone': (local: Date) => local.toISOString().slice(0, 23),
  'seconds without a zone': (local: Date) => local.toISOString().slice(0, 19),
  'minutes without a zone': (local: Date) => local.toISOString().slice(0, 16),
  day: (local: Date) => local.toISOString().slice(0, 10),
  SQL: (local: Date) => local.toISOString().replace('T', ' ').slice(0, 19),
  Python: (local: Date) => `${local.toISOString().replace('T', ' ').slice(0, 23)}123`,
  mail: (_local: Date, _zone: number, at: Date) => at.toUTCString(),
  'mail without a zone': (local: Date) => local.toUTCString().slice(0, -4),
  'mail with a zone of a name': (local: Date) => local.toUTCString().replace('GMT', 'CST'),
  C: (local: Date) => {
    const [day, date, month, year, time] = local.toUTCString().replace(',', '').split(' ')
    return `${day} ${month} ${date} ${time} ${year}`
  },
  American: (local: Date) =>
    `${local.getUTCMonth() + 1}/${local.getUTCDate()}/${local.getUTCFullYear()} ${local.getUTCHours()}:${two(local.getUTCMinutes())}`,
  'since 1970': (_local: Date, _zone: number, at: Date) => String(at.getTime()),
} as const

/** Writes a time (ms since 1970) as a service does. */
export function writtenTime(ms: number, { format, zone }: WayOfWriting): string {
  return formats[format](new Date(ms + zone * 60_000), zone, new Date(ms))
}

/** All common ways to write a time, with and without the zone, in all zones. */
export const waysOfWriting: fc.Arbitrary<WayOfWriting> = fc
  .record({
    format: fc.constantFrom(...(Object.keys(formats) as (keyof typeof formats)[])),
    zone: fc.integer({ min: -12 * 4, max: 14 * 4 }).map((quarters) => quarters * 15),
  })
  .map((way) => (isZoneless(way.format) ? { ...way, zone: 0 } : way))

const zoneless = [
  'without a zone',
  'seconds without a zone',
  'minutes without a zone',
  'SQL',
  'Python',
  'mail without a zone',
]

/** Whether a time in this format is taken as UTC. */
const isZoneless = (format: string): boolean => zoneless.includes(format)

/** Possible time zones of this machine (TZ). */
export const zonesOfMachine = fc.constantFrom(
  'UTC',
  'Asia/Tokyo',
  'America/New_York',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
)
