import { expect, it, vi } from 'vitest'
import { setSwitches } from '../../../../../electron/main/application/command-line'

const appendSwitch = vi.hoisted(() => vi.fn())

vi.mock('electron', () => ({ app: { commandLine: { appendSwitch } } }))

it('gives no server the account of the Windows user', () => {
  setSwitches()
  expect(appendSwitch).toHaveBeenCalledWith('auth-server-whitelist', 'nobody.invalid')
})
