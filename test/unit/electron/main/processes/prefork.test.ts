import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { prefork } from '../../../../../electron/main/processes/prefork'

function ahead() {
  const forked: EventEmitter[] = []
  const take = prefork(
    () => {
      const child = new EventEmitter()
      forked.push(child)
      return child
    },
    (child, listener) => void child.once('exit', listener),
  )
  return { forked, take }
}

it('forks at once, and gives that process once', () => {
  const { forked, take } = ahead()
  expect(forked).toHaveLength(1)
  expect(take()).toBe(forked[0])
  expect(take()).toBe(forked[1])
  expect(take()).toBe(forked[2])
})

it('forks again if the process has ended before it was used', () => {
  const { forked, take } = ahead()
  forked[0]!.emit('exit')
  expect(take()).toBe(forked[1])
})
