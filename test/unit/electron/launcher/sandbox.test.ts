import { readdirSync, readFileSync, statSync, type Stats } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { run } from '../../../../electron/launcher/system'
import { sandboxSwitches } from '../../../../electron/launcher/application'

vi.mock('node:fs', async (original) => ({
  ...(await original<object>()),
  ...{ readdirSync: vi.fn(), readFileSync: vi.fn(), statSync: vi.fn() },
}))
vi.mock('../../../../electron/launcher/system')

const electron = '/home/ann/slipway/node_modules/electron/dist/electron'
const helper = '/home/ann/slipway/node_modules/electron/dist/chrome-sandbox'
const restriction = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns'

/** A system of an ordinary user who can create user namespaces, or not, with a helper of this owner and mode. */
function system({ namespaces = true, owner = 1000, mode = 0o104755, profile = '', restricted = false }) {
  vi.mocked(run).mockResolvedValue({ exitCode: namespaces ? 0 : 1 } as never)
  vi.mocked(statSync).mockReturnValue({ uid: owner, mode } as Stats)
  vi.mocked(readdirSync).mockReturnValue(['slipway'] as never)
  vi.mocked(readFileSync).mockImplementation((path) =>
    path === restriction ? (restricted ? '1\n' : '0\n') : profile,
  )
}

beforeEach(() => void vi.spyOn(process, 'getuid').mockReturnValue(1000))
afterEach(() => vi.restoreAllMocks())

describe.runIf(process.platform === 'linux')('Chromium’s sandbox', () => {
  it.each([
    ['nothing forbids it', {}],
    ['the helper belongs to root', { restricted: true, owner: 0 }],
    [
      'a profile allows it, whatever another program may do',
      {
        restricted: true,
        namespaces: false,
        profile: `profile x ${electron} flags=(unconfined) { userns, }`,
      },
    ],
  ])('is left on if %s', async (_, facts) => {
    system(facts)
    expect(await sandboxSwitches(electron, [])).toEqual([])
  })

  it.each([
    ['AppArmor (Ubuntu 24.04)', { restricted: true }, 'AppArmor denies it user namespaces'],
    [
      'AppArmor with a profile for another program',
      { restricted: true, profile: 'profile chrome /opt/google/chrome/chrome { userns, }' },
      'AppArmor',
    ],
    ['a helper that nobody may run as root', { restricted: true, owner: 0, mode: 0o100755 }, 'AppArmor'],
    ['a container', { namespaces: false }, "an ordinary user can't create a user namespace"],
  ])('is reported as missing before the start, with what to do, under %s', async (_, facts, cause) => {
    system(facts)
    await expect(sandboxSwitches(electron, [])).rejects.toMatchObject({
      message: expect.stringContaining(cause) as string,
      remedy: `sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`,
    })
  })

  it('is not looked for if the user starts without it, and switched off for root', async () => {
    system({ restricted: true })
    expect(await sandboxSwitches(electron, ['--no-sandbox'])).toEqual([])
    vi.spyOn(process, 'getuid').mockReturnValue(0)
    expect(await sandboxSwitches(electron, [])).toEqual(['--no-sandbox'])
  })
})
