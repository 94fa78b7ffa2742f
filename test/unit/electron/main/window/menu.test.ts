import type { WindowCommand } from '@contract'
import { commands, type CommandId } from '@contract/app/shortcuts'
import type { MenuItemConstructorOptions } from 'electron'
import { expect, it, vi } from 'vitest'
import { type MenuPlace, type MenuState, menuTemplate } from '../../../../../electron/main/window/menu'

vi.mock('electron', () => ({ app: {}, Menu: {} }))

const here: MenuPlace = { onMac: false, forDevelopers: false }
const state: MenuState = {
  environments: [
    { id: 'a', name: 'Production' },
    { id: 'b', name: 'R&D\u202e' },
  ],
  currentEnvironmentId: 'b',
  readOnly: false,
  shortcuts: {},
}

function build(changes: Partial<MenuState> = {}, place: Partial<MenuPlace> = {}) {
  const send = vi.fn<(command: WindowCommand) => void>()
  const menu = menuTemplate({ ...state, ...changes }, { ...here, ...place }, { send, openLogFolder: vi.fn() })
  const flat = (items: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
    items.flatMap((item) => [item, ...flat((item.submenu ?? []) as MenuItemConstructorOptions[])])
  const all = flat(menu)
  return { send, menu, all, item: (id: string) => all.find((item) => item.id === id)! }
}

const click = (item: MenuItemConstructorOptions): void => (item.click as () => void)()

it.each([false, true])(
  'has every command except those of one screen, once each, with its name and shortcut (macOS: %s)',
  (onMac) => {
    const { all, send, item } = build({}, { onMac })
    for (const [id, command] of Object.entries(commands)) {
      const { label } = command
      const shown = all.filter((one) => one.id === id)
      if ('ofScreen' in command) {
        expect(shown, id).toEqual([])
        continue
      }
      expect(shown, id).toHaveLength(1)
      if (id !== 'switch-environment') expect(shown[0]).toMatchObject({ label })
      click(shown[0]!)
      expect(send).toHaveBeenLastCalledWith({ command: id as CommandId })
    }
    expect(item('back').accelerator).toBe(onMac ? 'CmdOrCtrl+[' : 'Alt+Left')
    expect(item('open-palette')).toMatchObject({ accelerator: 'CmdOrCtrl+K', registerAccelerator: false })
  },
)

it('shows changed shortcuts, and none that a text field takes as text', () => {
  const { item } = build({ shortcuts: { refresh: ['F5'], back: [] } })
  expect(item('refresh').accelerator).toBe('F5')
  expect(item('back')).not.toHaveProperty('accelerator')
  // "/" comes first.
  expect(item('find').accelerator).toBe('CmdOrCtrl+F')
})

it('lists the environments, the current one marked, with harmless names', () => {
  const { item, send } = build()
  const listed = (item('environments').submenu as MenuItemConstructorOptions[]).filter(
    ({ type }) => type === 'radio',
  )
  expect(listed).toMatchObject([
    { label: 'Production', checked: false },
    { label: 'R&&D⟨U+202E⟩', checked: true },
  ])
  click(listed[0]!)
  expect(send).toHaveBeenCalledWith({ environmentId: 'a' })
})

it('creates nothing in a read-only environment', () => {
  expect(build({ readOnly: true }).item('new-deployment').enabled).toBe(false)
  expect(build().item('new-deployment').enabled).toBe(true)
})

it('has the developer tools only for developers', () => {
  const roles = (forDevelopers: boolean) => build({}, { forDevelopers }).all.map(({ role }) => role)
  expect(roles(true)).toEqual(expect.arrayContaining(['reload', 'toggleDevTools']))
  expect(roles(false)).not.toContain('reload')
  expect(roles(false)).not.toContain('toggleDevTools')
})
