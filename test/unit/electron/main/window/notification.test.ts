import { BrowserWindow, Notification } from 'electron'
import { beforeEach, expect, it, vi } from 'vitest'
import { notify } from '../../../../../electron/main/window/notification'

const shown: { title: string; body: string; closed: boolean }[] = []

vi.mock('electron', () => {
  class Shown {
    closed = false
    static isSupported = (): boolean => true
    constructor(readonly said: { title: string; body: string }) {}
    on = (): void => undefined
    show = (): void => void shown.push(Object.assign(this.said, { closed: false }))
    close = (): void => void Object.assign(this.said, { closed: true })
  }
  return { Notification: Shown, BrowserWindow: { getAllWindows: () => [{ isFocused: () => false }] } }
})

beforeEach(() => void shown.splice(0))

it('shows names that others chose without invisible characters, and shortened', () => {
  expect(Notification.isSupported() && BrowserWindow.getAllWindows()).toHaveLength(1)
  notify({ title: 'agent\u202e\u001b[31m\nis ready', body: `${'x'.repeat(100_000)}\u0007` })
  expect(shown[0]?.title).toBe('agent⟨U+202E⟩␛[31m␊is ready')
  expect(shown[0]?.body.length).toBeLessThan(300)
})

it('shows a name that looks like markup as text, if the system supports markup', () => {
  vi.stubGlobal('process', { ...process, platform: 'linux' })
  notify({ title: 'a', body: 'Runs <a href="https://evil.example">v1</a> & more' })
  vi.stubGlobal('process', { ...process, platform: 'darwin' })
  notify({ title: 'a', body: 'Runs <v1> & more' })
  vi.unstubAllGlobals()
  expect(shown.map(({ body }) => body)).toEqual([
    'Runs ‹a href="https://evil.example"›v1‹/a› ＆ more',
    'Runs <v1> & more',
  ])
})

it('shows a few at the same time, whatever requests them', () => {
  for (let index = 0; index < 100; index += 1) notify({ title: `${index}`, body: '' })
  expect(shown).toHaveLength(100)
  expect(shown.filter(({ closed }) => !closed).map(({ title }) => title)).toEqual([
    '95',
    '96',
    '97',
    '98',
    '99',
  ])
})
