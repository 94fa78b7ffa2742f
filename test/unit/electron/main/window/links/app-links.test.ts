import { EventEmitter } from 'node:events'
import type { App } from 'electron'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { registerForLinks, takeAppLinks } from '../../../../../../electron/main/window/links/app-links'
import { pauseMs } from '../../../../../../electron/main/async/leading-throttle'

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

  it('in a flood are reported at once, then once per interval; the latest one counts', () => {
    const { app, links, arrived } = taking()
    for (let count = 0; count < 1_000; count += 1)
      app.emit('second-instance', {}, ['slipway', `${link}-${count}`])
    expect(arrived).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(pauseMs)
    expect(arrived).toHaveBeenCalledTimes(2)
    expect(links.take()).toEqual({ link: { ...parsed, deploymentId: 'one-999' } })
    vi.advanceTimersByTime(10 * pauseMs)
    expect(arrived).toHaveBeenCalledTimes(2)
    app.emit('second-instance', {}, ['slipway', link])
    expect(arrived).toHaveBeenCalledTimes(3)
  })

  it('that lead nowhere are reported as such', () => {
    expect(taking(['slipway://Production/remove']).links.take()).toEqual({ link: null })
  })

  it('are registered for a packaged Slipway, so that none is read as a switch', async () => {
    const setAsDefaultProtocolClient = vi.fn(() => true)
    const writeEntry = vi.fn(() => Promise.resolve(true))
    const register = (isPackaged: boolean, platform: NodeJS.Platform) =>
      registerForLinks({ isPackaged, setAsDefaultProtocolClient }, { platform, writeEntry })
    await register(false, 'win32')
    await register(false, 'linux')
    expect(writeEntry).not.toHaveBeenCalled()
    expect(setAsDefaultProtocolClient).not.toHaveBeenCalled()
    await register(true, 'win32')
    expect(setAsDefaultProtocolClient).toHaveBeenCalledWith('slipway', process.execPath, ['--'])
    expect(writeEntry).not.toHaveBeenCalled()
  })

  it('are registered on Linux by a desktop file, and the desktop is notified once it is written', async () => {
    const tellDesktop = vi.fn(() => Promise.resolve())
    const removeEntry = vi.fn(() => Promise.resolve())
    const register = (isWritten: boolean) =>
      registerForLinks(
        { isPackaged: true, setAsDefaultProtocolClient: vi.fn() },
        { platform: 'linux', writeEntry: () => Promise.resolve(isWritten), removeEntry, tellDesktop },
      )
    await register(false)
    expect(tellDesktop).not.toHaveBeenCalled()
    await register(true)
    expect(tellDesktop).toHaveBeenCalledOnce()
    expect(removeEntry).not.toHaveBeenCalled()
    // The next start tries again.
    tellDesktop.mockRejectedValueOnce(new Error('no xdg-settings'))
    await register(true)
    expect(removeEntry).toHaveBeenCalledOnce()
  })
})
