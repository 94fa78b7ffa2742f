import fc from 'fast-check'
import { expect, it, afterEach, describe } from 'vitest'
import type { Watch } from '@contract/cache'
import {
  takeAnswers,
  takeSynchronisation,
  type FollowedMap,
  type Seen,
} from '../../../../../../electron/main/features/watches/rules'
import { brief, seen, watchOfDeployment, watchOfList } from '../../../../../support/builders/watched'
import { isQuiet } from '../../../../../../electron/main/features/watches/notices'

describe('watches', () => {
  const minute = 60_000

  /** Plays rounds one after the other. */
  class Play {
    followed: FollowedMap = new Map()
    reported: string[] = []
    at = Date.parse('2026-11-24T08:00:00Z')
    own = new Set<string>()
    /** The watches that told something in the last round. */
    by: ReadonlySet<string> = new Set()

    constructor(public watches: Watch[]) {}

    private get round() {
      return { at: this.at, watches: this.watches, own: this.own }
    }

    /** Answers of the service, and how much time passes before them. */
    answer(all: readonly Seen[], afterMs = minute): string[] {
      this.at += afterMs
      return this.take(takeAnswers(this.followed, all, this.round))
    }

    /** A complete synchronisation after which all lists have these. */
    sync(all: readonly Seen[], others: readonly Seen[] = [], isFirst = false): string[] {
      this.at += minute
      const lists = this.watches.flatMap(({ id, on }) =>
        on.kind === 'list' ? [{ watchId: id, members: all, isFirst }] : [],
      )
      return this.take(takeSynchronisation(this.followed, lists, others, this.round))
    }

    private take(taken: ReturnType<typeof takeAnswers>): string[] {
      this.followed = taken.followed
      this.by = taken.by
      this.reported.push(...brief(taken.entries))
      return brief(taken.entries)
    }
  }

  const onAll = (): Play => {
    const play = new Play([watchOfList('all')])
    play.sync([seen('a'), seen('b')], [], true)
    return play
  }

  it('tell nothing at the first synchronisation, nor of a deployment when it is watched', () => {
    const play = new Play([watchOfList('all'), watchOfDeployment('c')])
    expect(play.sync([seen('a', { status: 'UNKNOWN' }), seen('b')], [seen('c')], true)).toEqual([])
    expect(play.answer([seen('c')])).toEqual([])
  })

  it('tell once why a rollout failed, and not that it is stuck', () => {
    const play = onAll()
    play.answer([seen('a', { latest: 'r2' })])
    const failed = { ...seen('a', { latest: 'r2' }), failure: 'no such image' }
    expect(play.answer([failed])).toEqual(['a changed failed no such image'])
    expect(play.answer([failed], 24 * 60 * minute)).toEqual([])
  })

  it('tell a rollout when it begins and once it is active', () => {
    const play = onAll()
    expect(play.answer([seen('a', { latest: 'r2' })])).toEqual(['a changed revision r2'])
    expect(play.answer([seen('a', { latest: 'r2' })])).toEqual([])
    expect(play.answer([seen('a', { latest: 'r2', active: 'r2' })])).toEqual(['a active active-revision r2'])
    expect(play.answer([seen('a', { latest: 'r2', active: 'r2' })])).toEqual([])
  })

  it('tell nothing when the service no longer says which revision is the latest', () => {
    const play = new Play([watchOfDeployment('a')])
    const before = { latest: null, active: null }
    play.answer([seen('a', before)])
    expect(play.answer([seen('a', { latest: 'r2', active: null })])).toEqual(['a changed revision r2'])
    expect(play.answer([seen('a', before)])).toEqual([])
    expect(play.answer([seen('a', before)])).toEqual([])
    expect(play.answer([seen('a', { latest: 'r3', active: null })])).toEqual(['a changed revision r3'])
    // A revision that becomes active meanwhile is told.
    play.answer([seen('a', { latest: 'r4', active: 'r3' })])
    const active = seen('a', { latest: null, active: 'r4' })
    const told = [...play.answer([active]), ...play.answer([active])]
    expect(told).toEqual(['a active active-revision r4'])
    play.answer([seen('a', before)])
    const withImage = seen('a', { ...before, runs: 'image:2' })
    expect([play.answer([withImage]), play.answer([withImage])]).toEqual([['a changed runs image:2'], []])
  })

  it('tell what is not active for long, once for each revision', () => {
    const play = onAll()
    play.answer([seen('a', { latest: 'r2' })])
    expect(play.answer([seen('a', { latest: 'r2' })], 29 * minute)).toEqual([])
    expect(play.answer([seen('a', { latest: 'r2' })], minute)).toEqual(['a stuck 30'])
    expect(play.answer([seen('a', { latest: 'r2' })], 90 * minute)).toEqual([])
    expect(play.answer([seen('a', { latest: 'r3' })])).toEqual(['a changed revision r3'])
    expect(play.answer([seen('a', { latest: 'r3' })], 31 * minute)).toEqual(['a stuck 30'])
  })

  it('tell a status once, and that it is active again', () => {
    const play = onAll()
    const unknown = seen('a', { status: 'UNKNOWN' })
    expect(play.answer([unknown])).toEqual(['a changed status UNKNOWN'])
    expect(play.answer([unknown])).toEqual([])
    expect(play.answer([seen('a')])).toEqual(['a active status READY'])
    // The same again makes no notice.
    for (const again of [unknown, unknown, seen('a'), seen('a')]) expect(play.answer([again])).toEqual([])
  })

  it('tell what a complete synchronisation found new, deleted and restored, each once', () => {
    const play = onAll()
    expect(play.sync([seen('a'), seen('b'), seen('c')])).toEqual(['c appeared all'])
    expect(play.sync([seen('a'), seen('c')], [seen('b', { isGone: true })])).toEqual(['b gone'])
    expect(play.sync([seen('a'), seen('c')], [seen('b', { isGone: true })])).toEqual([])
    expect(play.sync([seen('a'), seen('b'), seen('c')])).toEqual(['b appeared back'])
    expect(play.sync([seen('a'), seen('c')], [seen('b', { isGone: true })])).toEqual([])
  })

  it('tell nothing at the first synchronisation of another cache', () => {
    const play = onAll()
    expect(play.sync([seen('a'), seen('x'), seen('y')], [], true)).toEqual([])
    expect(play.sync([seen('a'), seen('x'), seen('y'), seen('z')])).toEqual(['z appeared all'])
  })

  it('tell what two watches have once, by what each of them tells', () => {
    const play = new Play([
      watchOfList('all', { tells: ['appeared'] }),
      watchOfDeployment('a', { tells: ['changed'] }),
      watchOfDeployment('b', { tells: ['stuck'], stuckMinutes: 60 }),
    ])
    play.sync([seen('a'), seen('b')], [], true)
    expect(play.answer([seen('a', { latest: 'r2' }), seen('b', { latest: 'r2' })])).toEqual([
      'a changed revision r2',
    ])
    expect([...play.by]).toEqual(['watch a'])
    expect(play.answer([seen('b', { latest: 'r2' })], 59 * minute)).toEqual([])
    expect(play.answer([seen('b', { latest: 'r2' })], minute)).toEqual(['b stuck 60'])
    expect([...play.by]).toEqual(['watch b'])
  })

  it('tell nobody about their own recent actions', () => {
    const play = onAll()
    play.own.add('mine')
    const created = { latest: 'r1', active: null, status: 'AWAITING_DATABASE' }
    expect(play.sync([seen('a'), seen('b'), seen('mine', created)])).toEqual([])
    expect(play.answer([seen('mine', created)], 31 * minute)).toEqual(['mine stuck 30'])
  })

  it('tell nothing twice, whatever a service answers in whatever order', () => {
    const state = fc.record({
      status: fc.constantFrom('READY', 'UNKNOWN', 'AWAITING_DATABASE', 'AWAITING_DELETE'),
      latest: fc.constantFrom('r1', 'r2', null),
      active: fc.constantFrom('r1', 'r2', null),
      isGone: fc.boolean(),
    })
    const step = fc.record({
      a: fc.option(state, { nil: null }),
      b: fc.option(state, { nil: null }),
      isSync: fc.boolean(),
      afterMs: fc.integer({ min: -minute, max: 40 * minute }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const play = onAll()
        const keys: string[] = []
        for (const { a, b, isSync, afterMs } of steps) {
          const all = [a && seen('a', a), b && seen('b', b)].filter((one) => one !== null)
          const before = play.followed
          const reported = isSync
            ? play.sync(
                all.filter(({ isGone }) => !isGone),
                all.filter(({ isGone }) => isGone),
              )
            : play.answer(
                all.filter(({ isGone }) => !isGone),
                afterMs,
              )
          for (const one of reported) {
            const [id = ''] = one.split(' ')
            const from = before.get(id)
            const latest = play.followed.get(id)?.latest ?? null
            keys.push(
              `${one} of ${latest} from ${from?.status} ${from?.latest} ${from?.active} ${from?.isGone}`,
            )
          }
        }
        expect(new Set(keys).size).toBe(keys.length)
      }),
    )
  })
})

describe('quiet hours', () => {
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
})
