import { EventEmitter } from 'node:events'
import type { App } from 'electron'
import { describe, expect, it, vi } from 'vitest'
import { registerForLinks, takeAppLinks } from '../../../../../electron/main/window/app-links'

const link = 'slipway://Production/deployments/one'
const parsed = { environment: 'Production', screen: 'deployments', deploymentId: 'one' }

function taking(args: string[] = []) {
  const app = new EventEmitter()
  const links = takeAppLinks(app as unknown as App, args)
  const arrived = vi.fn()
  links.onArrival(arrived)
  return { app, links, arrived }
}

describe('links', () => {
  it('come with the arguments of a start, and are taken once', () => {
    const { links } = taking(['--user-data-dir=/x', '--', link])
    expect(links.take()).toEqual({ link: parsed })
    expect(links.take()).toBeNull()
    expect(taking(['--user-data-dir=/x']).links.take()).toBeNull()
  })

  it('come with a second start and from macOS; the latest one counts', () => {
    const { app, links, arrived } = taking()
    app.emit('second-instance', {}, ['slipway', '--more', 'slipway://Production/repositories'])
    const event = { preventDefault: vi.fn() }
    app.emit('open-url', event, link)
    expect(event.preventDefault).toHaveBeenCalled()
    expect(arrived).toHaveBeenCalledTimes(2)
    expect(links.take()).toEqual({ link: parsed })
    app.emit('second-instance', {}, ['slipway'])
    expect(arrived).toHaveBeenCalledTimes(2)
  })

  it('that lead nowhere are told as such', () => {
    expect(taking(['slipway://Production/remove']).links.take()).toEqual({ link: null })
  })

  it('are registered for a packaged Slipway, so that none is read as a switch', () => {
    const setAsDefaultProtocolClient = vi.fn(() => true)
    registerForLinks({ isPackaged: false, setAsDefaultProtocolClient }, 'win32')
    registerForLinks({ isPackaged: true, setAsDefaultProtocolClient }, 'linux')
    expect(setAsDefaultProtocolClient).not.toHaveBeenCalled()
    registerForLinks({ isPackaged: true, setAsDefaultProtocolClient }, 'win32')
    expect(setAsDefaultProtocolClient).toHaveBeenCalledWith('slipway', process.execPath, ['--'])
  })
})
