import { EventEmitter } from 'node:events'
import type { App } from 'electron'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { takeAppLinks } from '../../../../../../electron/main/window/links/app-links'
import { pauseMs } from '../../../../../../electron/main/async'

const link = 'slipway://Production/deployments/one'
const parsed = { environment: 'Production', screen: 'deployments', deploymentId: 'one', section: null }

function taking(args: string[] = []) {
  const app = new EventEmitter()
  const links = takeAppLinks(app as unknown as App, args)
  const arrived = vi.fn()
  links.onArrival(arrived)
  return { app, links, arrived }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('links', () => {
  it('come with the arguments of a start, and are handled once', () => {
    const { links } = taking(['--user-data-dir=/x', '--', link])
    expect(links.take()).toEqual({ link: parsed })
    expect(links.take()).toBeNull()
    expect(taking(['--user-data-dir=/x']).links.take()).toBeNull()
  })

  it('come with a second start and from macOS; the latest one counts', () => {
    const { app, links, arrived } = taking()
    app.emit('second-instance', {}, ['slipway', '--more', 'slipway://Production/repositories'])
    const event = { preventDefault: vi.fn() }
    vi.advanceTimersByTime(pauseMs)
    app.emit('open-url', event, link)
    expect(event.preventDefault).toHaveBeenCalled()
    expect(arrived).toHaveBeenCalledTimes(2)
    expect(links.take()).toEqual({ link: parsed })
    app.emit('second-instance', {}, ['slipway'])
    expect(arrived).toHaveBeenCalledTimes(2)
  })

  it('that lead nowhere are reported as such', () => {
    expect(taking(['slipway://Production/remove']).links.take()).toEqual({ link: null })
  })
})
