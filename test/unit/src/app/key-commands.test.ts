import type { CachedSummary } from '@contract/cache'
import { commandIds } from '@contract/app/shortcuts'
import { describe, expect, it } from 'vitest'
import { pressedShortcut } from '@/app/commands'
import {
  commandEntry,
  environmentEntry,
  type PaletteEntry,
  paletteGroups,
  type PaletteSource,
} from '@/features/palette/entries'
import { stateOf } from '../../../support/page/fake-bridge'
import { summaryOf } from '../../../support/builders/deployment-answers'

describe('the palette', () => {
  const cached = (id: string, name: string): CachedSummary => ({
    ...summaryOf(id, { name }),
    deployment_type: null,
    fetched_at: '2026-11-23T08:00:00Z',
    gone_at: null,
  })
  const names = (text: string, source: Partial<PaletteSource>) =>
    paletteGroups(text, {
      commands: [],
      environments: [],
      views: [],
      deployments: [],
      recent: [],
      noteOf: () => '',
      ...source,
    }).map(({ label, entries }) => [label, entries.map(({ key }) => key)])

  it('shows all but deployments without a text, with recent entries first and once', () => {
    const environments = stateOf('production', 'staging').environments
    const recent: PaletteEntry[] = [environmentEntry(environments[1]!), commandEntry('refresh')]
    const groups = names('', {
      commands: ['refresh', 'find', 'go-activity', 'copy-id'],
      environments,
      deployments: [cached('1', 'a')],
      recent,
    })
    expect(groups).toEqual([
      ['Recent', ['environment staging', 'command refresh']],
      ['This screen', ['command copy-id']],
      ['Screens', ['command go-activity']],
      ['Commands', ['command find']],
      ['Environments', ['environment production']],
    ])
  })

  it('finds by every word, in any order and case, including environments by their base URL', () => {
    const { environments } = stateOf('production', 'staging')
    expect(names('shot KEYBOARD', { commands: commandIds })).toEqual([])
    expect(names('  environment SWITCH ', { commands: commandIds })).toEqual([
      ['Commands', ['command switch-environment']],
    ])
    expect(names('staging.example', { environments })).toEqual([['Environments', ['environment staging']]])
  })

  it('shows the deployment that has the name first, then those that begin with it', () => {
    const deployments = [
      cached('1', 'an-agent-1'),
      cached('2', 'agent-10'),
      cached('3', 'AGENT-1'),
      cached('agent-1', 'other'),
      cached('5', 'elsewhere'),
    ]
    expect(names('agent-1', { deployments })).toEqual([
      ['Deployments', ['deployment 3', 'deployment agent-1', 'deployment 2', 'deployment 1']],
    ])
  })
})

describe('a key', () => {
  const key = (key: string, more: Partial<KeyboardEvent> = {}) => ({
    key,
    code: '',
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...more,
  })

  it.each([
    ['Mod+K', key('k', { ctrlKey: true })],
    ['Mod+Shift+K', key('K', { ctrlKey: true, shiftKey: true })],
    ['Alt+Left', key('ArrowLeft', { altKey: true })],
    ['/', key('/')],
    ['?', key('?', { shiftKey: true })],
    ['Shift+N', key('N', { shiftKey: true })],
    ['N', key('n')],
    ['F5', key('F5')],
    ['Shift+F5', key('F5', { shiftKey: true })],
    ['Mod+Plus', key('+', { ctrlKey: true, shiftKey: true })],
    // Caps Lock is not Shift.
    ['Mod+K', key('K', { ctrlKey: true })],
    // Cyrillic.
    ['Mod+K', key('л', { ctrlKey: true, code: 'KeyK' })],
    ['Mod+K', key('k', { ctrlKey: true, code: 'KeyT' })],
    ['G', key('п', { code: 'KeyG' })],
    ['Shift+N', key('Т', { shiftKey: true, code: 'KeyN' })],
  ])('%s', (shortcut, event) => expect(pressedShortcut(event, false)).toBe(shortcut))

  it('distinguishes Command and Control on macOS', () => {
    expect(pressedShortcut(key('k', { metaKey: true }), true)).toBe('Mod+K')
    expect(pressedShortcut(key('k', { ctrlKey: true }), true)).toBe('Ctrl+K')
    expect(pressedShortcut(key('f', { ctrlKey: true, metaKey: true }), true)).toBe('Mod+Ctrl+F')
  })
})
