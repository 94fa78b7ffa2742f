import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import { useForked } from '../../../../../electron/main/processes/use-forked'

function ahead() {
  const first = new EventEmitter()
  const fork = vi.fn(() => new EventEmitter())
  const take = useForked(first, fork, (child, listener) => void child.once('exit', listener))
  return { first, fork, take }
}

it('returns the process that was forked in advance once', () => {
  const { first, fork, take } = ahead()
  expect(take()).toBe(first)
  expect(fork).not.toHaveBeenCalled()
  expect(take()).toBe(fork.mock.results[0]?.value)
  expect(take()).toBe(fork.mock.results[1]?.value)
})

it('forks again if it ended before anyone took it', () => {
  const { first, fork, take } = ahead()
  first.emit('exit')
  expect(take()).toBe(fork.mock.results[0]?.value)
})
