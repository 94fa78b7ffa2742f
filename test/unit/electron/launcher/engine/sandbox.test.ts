import { describe, expect, it } from 'vitest'
import { sandboxSwitches, type System } from '../../../../../electron/launcher/engine/sandbox.mjs'

const electron = '/home/ann/slipway/node_modules/electron/dist/electron'
const helper = '/home/ann/slipway/node_modules/electron/dist/chrome-sandbox'

/** A Linux system of an ordinary user with these files. It allows user namespaces unless a file forbids them. */
const systemWith = (files: Record<string, string>, more: Partial<System> = {}): System => ({
  platform: 'linux',
  user: 1000,
  read: (path) => files[path],
  facts: () => ({ owner: 1000, mode: 0o100755 }),
  list: (folder) =>
    Object.keys(files)
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => path.slice(folder.length + 1)),
  canCreateNamespace: async () => true,
  ...more,
})

const appArmor = { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1' }

describe('Chromium’s sandbox', () => {
  it.each([
    ['nothing is known to forbid it', systemWith({})],
    [
      'all switches of the kernel allow it',
      systemWith({
        '/proc/sys/kernel/unprivileged_userns_clone': '1',
        '/proc/sys/user/max_user_namespaces': '63000',
        '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '0',
      }),
    ],
    ['the helper belongs to root', systemWith(appArmor, { facts: () => ({ owner: 0, mode: 0o104755 }) })],
    [
      'a profile allows it',
      // The profile decides, not what an arbitrary program may do.
      systemWith(
        {
          ...appArmor,
          '/etc/apparmor.d/slipway': `profile slipway ${electron} flags=(unconfined) { userns, }`,
        },
        { canCreateNamespace: async () => false },
      ),
    ],
    ['this is not Linux', systemWith(appArmor, { platform: 'darwin' })],
  ])('is left on if %s', async (_, system) => {
    expect(await sandboxSwitches(electron, [], system)).toEqual([])
  })

  it.each([
    ['AppArmor (Ubuntu 24.04)', systemWith(appArmor), 'AppArmor denies it user namespaces'],
    [
      'AppArmor with a profile for another program',
      systemWith({
        ...appArmor,
        '/etc/apparmor.d/chrome': 'profile chrome /opt/google/chrome/chrome { userns, }',
      }),
      'AppArmor',
    ],
    [
      'Debian’s switch',
      systemWith({ '/proc/sys/kernel/unprivileged_userns_clone': '0' }),
      'kernel.unprivileged_userns_clone is 0',
    ],
    [
      'a limit of none',
      systemWith({ '/proc/sys/user/max_user_namespaces': '0' }),
      'user.max_user_namespaces is 0',
    ],
    [
      'a container',
      systemWith({}, { canCreateNamespace: async () => false }),
      "an ordinary user can't create a user namespace",
    ],
    [
      'AppArmor, with a helper that root owns but nobody may run as root',
      systemWith(appArmor, { facts: () => ({ owner: 0, mode: 0o100755 }) }),
      'AppArmor',
    ],
  ])('is reported as missing before the start, with what to do, under %s', async (_, system, cause) => {
    const failure = await sandboxSwitches(electron, [], system).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      name: 'SetupFailure',
      message: expect.stringContaining(cause) as string,
      remedy: `sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`,
    })
  })

  it('is not looked for if the user starts without it, and switched off for root', async () => {
    expect(await sandboxSwitches(electron, ['--no-sandbox'], systemWith(appArmor))).toEqual([])
    expect(await sandboxSwitches(electron, [], systemWith(appArmor, { user: 0 }))).toEqual(['--no-sandbox'])
  })
})
