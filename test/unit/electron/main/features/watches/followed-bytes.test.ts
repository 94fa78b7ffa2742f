import { expect, it } from 'vitest'
import { bytesOfFollowed } from '../../../../../../electron/main/features/watches/followed-bytes'
import { takeAnswers } from '../../../../../../electron/main/features/watches/rules'
import type { FollowedMap, Round } from '../../../../../../electron/main/features/watches/rules/types'
import { seen, watchOfDeployment } from '../../../../../support/builders/watched'

const long = (text: string): string => text.padEnd(500, 'x')

it('a deployment takes no more in the file than was counted, however often it changes', () => {
  const id = long('id')
  let followed: FollowedMap = new Map()
  const take = (change: Parameters<typeof seen>[1], at: number): void => {
    const round: Round = { at, watches: [watchOfDeployment(id)], isOwn: () => false }
    followed = takeAnswers(followed, [seen(id, change)], round).followed
  }
  for (let minute = 0; minute < 200; minute += 1) {
    const latest = long(`r${Math.floor(minute / 4)}`)
    const status = long(`${Math.floor(minute / 2)}`)
    take({ latest, active: latest, status, runs: 'v'.repeat(80) }, minute * 60_000)
  }
  const [one] = followed.values()
  const stored = JSON.stringify({ id, ...one })
  expect(one!.reported.length).toBeGreaterThan(20)
  expect(stored.length).toBeLessThanOrEqual(bytesOfFollowed({ id, ...one! }, 0))
})
