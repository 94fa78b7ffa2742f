import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { isQuiet } from '../../../../../../electron/main/features/watches/notices'

const at = (hours: number, minutes = 0): Date => new Date(2026, 10, 24, hours, minutes)

it('last from their start to their end, even across midnight', () => {
  const night = { from: '22:00', to: '07:00' }
  expect([21, 22, 23, 0, 6, 7, 12].map((hours) => isQuiet(night, at(hours)))).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
    false,
  ])
  const noon = { from: '12:00', to: '13:30' }
  expect([at(11, 59), at(12), at(13, 29), at(13, 30)].map((time) => isQuiet(noon, time))).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(isQuiet(null, at(3))).toBe(false)
})

describe('around a change of the clock', () => {
  const zone = process.env.TZ
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  const minuteMs = 60_000
  const hour = fc.integer({ min: 0, max: 23 }).map((hours) => `${String(hours).padStart(2, '0')}:00`)
  const quietHours = fc.record({ from: hour, to: hour }).filter(({ from, to }) => from !== to)

  // By half an hour, at midnight, and twice around Ramadan.
  it.each([
    ['Europe/Berlin', '2026-03-29T01:00Z'],
    ['Europe/Berlin', '2026-10-25T01:00Z'],
    ['America/Sao_Paulo', '2018-11-04T03:00Z'],
    ['America/Sao_Paulo', '2019-02-17T02:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
    ['Africa/Casablanca', '2026-02-15T02:00Z'],
    ['Africa/Casablanca', '2026-03-22T02:00Z'],
    ['Asia/Kathmandu', '2026-11-24T00:00Z'],
  ])('follow the clock that the operator sees, in %s on %s', (timeZone, change) => {
    process.env.TZ = timeZone
    const clock = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    const moments = Array.from(
      { length: 30 * 12 },
      (_, index) => new Date(Date.parse(change) + (index - 15 * 12) * 5 * minuteMs),
    ).map((moment) => ({ moment, minute: minutesOf(clock.format(moment)) }))
    fc.assert(
      fc.property(quietHours, ({ from, to }) => {
        const [start, length] = [minutesOf(from), span(minutesOf(from), minutesOf(to))]
        const wrong = moments.filter(
          ({ moment, minute }) => isQuiet({ from, to }, moment) !== span(start, minute) < length,
        )
        expect(wrong).toEqual([])
      }),
    )
  })
})

const minutesOf = (time: string): number => {
  const [hours, minutes] = time.split(':').map(Number)
  return hours! * 60 + minutes!
}

/** How many minutes a clock goes from one time of the day to another. */
const span = (from: number, to: number): number => (to - from + 1440) % 1440
