import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { app, systemPreferences } from 'electron'
import { errorCode } from '../../files/error-code'
import { readPackageType } from '../../window/links/app-links'

const policyFile = '/etc/slipway/policy.json'
const registryKey = 'HKLM\\Software\\Policies\\Slipway'

/** What switches the notice of updates off, whatever the operator chose; null if nothing does. */
export async function offBy(): Promise<'variable' | 'policy' | null> {
  if (process.env['SLIPWAY_NO_UPDATE_CHECK'] === '1') return 'variable'
  return (await isOffByPolicy()) ? 'policy' : null
}

/**
 * The machine's policy: `disableUpdateNotice` in the policy file, `DisableUpdateNotice` in the registry or among the
 * managed preferences. A file that can't be read is one, too: whoever wrote it wanted something.
 */
async function isOffByPolicy(): Promise<boolean> {
  if (process.platform === 'darwin') return systemPreferences.getUserDefault('DisableUpdateNotice', 'boolean')
  if (process.platform === 'win32') {
    const output = await new Promise<string>((resolve) => {
      execFile('reg', ['query', registryKey, '/v', 'DisableUpdateNotice'], (_error, text) => resolve(text))
    })
    return /REG_DWORD\s+0x0*1\s/.test(output)
  }
  try {
    const policy: unknown = JSON.parse(readFileSync(policyFile, 'utf8'))
    return !(policy instanceof Object) || (policy as Record<string, unknown>).disableUpdateNotice === true
  } catch (error) {
    return errorCode(error) !== 'ENOENT'
  }
}

/** What installs the newest version, by how this one was installed; null where no command does. */
export async function updateCommand(): Promise<string | null> {
  const name = app.getName()
  switch (await readPackageType()) {
    case 'deb':
      return `sudo apt-get update && sudo apt-get install ${name}`
    case 'rpm':
      return `sudo dnf upgrade --refresh ${name}`
    default:
      return null
  }
}
