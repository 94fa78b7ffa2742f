import { expect, it } from 'vitest'
import { toAsk } from '../../../../../../../electron/main/features/watches/rules/to-ask'
import type { Followed } from '../../../../../../../electron/main/features/watches/rules/types'
import { seen, watchOfDeployment, watchOfList } from '../../../../../../support/builders/watched'

const followed = (change: Partial<Followed> = {}): Followed => {
  const { status, latest, active, runs } = seen('any')
  return {
    ...{ status, latest, active, runs, isGone: false, pending: null, inactiveSince: null, reported: [] },
    by: ['list all'],
    ...change,
  }
}
const watches = [watchOfList('all'), watchOfDeployment('own'), watchOfDeployment('deleted')]

it('has individually watched deployments and rollouts each time, and the others round by round', () => {
  const known = new Map([
    ...['a', 'b', 'c', 'd', 'e'].map((id): [string, Followed] => [id, followed()]),
    ['rolling', followed({ inactiveSince: 1 })],
    ['deleted', followed({ isGone: true })],
    ['left', followed({ by: [] })],
  ])
  const first = toAsk(known, watches, 0, 5)
  expect(first.ids).toEqual(['own', 'rolling', 'a', 'b', 'c'])
  const second = toAsk(known, watches, first.next, 5)
  expect(second.ids).toEqual(['own', 'rolling', 'd', 'e', 'a'])
})

it('leaves none out if more rollouts are under way than fit into one round', () => {
  const known = new Map(
    Array.from({ length: 7 }, (_, index): [string, Followed] => [
      `r${index}`,
      followed({ inactiveSince: 1 }),
    ]),
  )
  let next = 0
  const planned = new Set<string>()
  for (let round = 0; round < 3; round += 1) {
    const plan = toAsk(known, [watchOfList('all')], next, 3)
    next = plan.next
    for (const id of plan.ids) planned.add(id)
  }
  expect(planned.size).toBe(7)
})
