import { expect, type Locator, type Page } from '@playwright/test'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Keytar } from '../../../electron/cache/keychain'
import { inProject, projectFolder } from '../../../electron/launcher/base.mjs'
import { keychainServiceName } from '../../../electron/main/processes/keychain'
import { variablesFor } from '../../support/main/variables'
import { end, execute, firstLine, until } from './processes'
import type { Slipway } from './slipway'

/** The entries of an installation in the keychain, read and written without the application, with its own keytar. */
export interface KeychainEntries {
  /** Writes entries, by account. */
  set: (entries: Record<string, string>) => Promise<void>
  get: (account: string) => Promise<string | null>
  delete: (account: string) => Promise<boolean>
}

/** The entries of the installation with the data folder `userData`. `slipway` must be running while they are used. */
export function keychainEntries(slipway: Slipway, userData: string): KeychainEntries {
  const place = {
    library: inProject('node_modules/keytar'),
    service: keychainServiceName(userData, join(homedir(), '.config/slipway')),
  }
  return {
    set: (entries) =>
      slipway.app.evaluate(
        async (_electron, { library, service, entries }) => {
          const keytar = process.mainModule!.require(library) as Keytar
          for (const [account, value] of Object.entries(entries)) {
            await keytar.setPassword(service, account, value)
          }
        },
        { ...place, entries },
      ),
    get: (account) =>
      slipway.app.evaluate(
        (_electron, { library, service, account }) =>
          (process.mainModule!.require(library) as Keytar).getPassword(service, account),
        { ...place, account },
      ),
    delete: (account) =>
      slipway.app.evaluate(
        (_electron, { library, service, account }) =>
          (process.mainModule!.require(library) as Keytar).deletePassword(service, account),
        { ...place, account },
      ),
  }
}

/** The notice about a keychain that can't be used. */
export const keychainNotice = (page: Page): Locator => page.getByRole('region', { name: 'Keychain' })

/**
 * Presses Retry once the keychain is usable again, and waits until its notice is gone. A call in the background, such
 * as one by the sync's timer, may find out first and remove the notice.
 */
export async function retryKeychain(page: Page): Promise<void> {
  const notice = keychainNotice(page)
  const retry = notice.getByRole('button', { name: 'Retry' })
  await expect(async () => {
    if (await retry.isVisible()) await retry.click({ timeout: 1_000 })
    await expect(notice).toBeHidden({ timeout: 5_000 })
  }).toPass()
}

/** Replaces the key of `state.db`, as a keychain that was restored from a backup does. */
export async function replaceStateKey(userData: string, keyring: Keyring): Promise<void> {
  const entry = [keychainServiceName(userData, ''), 'state-key', 'cd'.repeat(32)]
  const program = `require('keytar').setPassword(...${JSON.stringify(entry)})
    .catch((error) => { console.error(error); process.exit(1) })`
  await execute(process.execPath, ['-e', program], {
    cwd: projectFolder,
    env: variablesFor(keyring.environment),
  })
}

/**
 * The state of the Secret Service: `unlocked`, ready to use; `locked`, running with a locked login collection;
 * `absent`, a session bus without the service; `no-bus`, not even a bus.
 */
export type KeyringState = 'unlocked' | 'locked' | 'absent' | 'no-bus'

const password = 'a password for the tests'
const service = 'org.freedesktop.secrets'
const login = '/org/freedesktop/secrets/collection/login'

// A bus that starts nothing by itself, so that an absent service stays absent and no prompt appears.
const busConfiguration = (folder: string) => `<!DOCTYPE busconfig PUBLIC
  "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=${folder}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

/**
 * Speaks the daemon's control protocol, as its PAM module does: a byte for the credentials, then a packet with its
 * length, the operation (1: unlock) and the password with its length. Numbers have 32 bits, big-endian.
 */
function sendUnlock(socketPath: string): Promise<void> {
  const secret = Buffer.from(password)
  const packet = Buffer.alloc(1 + 12 + secret.length)
  packet.writeUInt32BE(12 + secret.length, 1)
  packet.writeUInt32BE(1, 5)
  packet.writeUInt32BE(secret.length, 9)
  secret.copy(packet, 13)
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath, () => socket.write(packet))
    socket.once('error', reject)
    socket.once('data', () => {
      socket.destroy()
      resolve()
    })
  })
}

/**
 * A test's own session bus and gnome-keyring-daemon with empty folders. No test sees another's entries, and each may
 * lock or end its own. Linux only: elsewhere the application uses the account's keychain, and specs that need a
 * special state skip themselves (see `Keyring.controllable`).
 */
export class Keyring {
  static readonly controllable = process.platform === 'linux'

  private bus: ChildProcess | undefined
  private daemon: ChildProcess | undefined
  private address = ''

  private constructor(private readonly folder: string) {}

  /** Starts a bus and a daemon, if the state needs them. */
  static async start(state: KeyringState = 'unlocked'): Promise<Keyring> {
    const keyring = new Keyring(await mkdtemp(join(tmpdir(), 'slipway-keyring-')))
    if (!Keyring.controllable) return keyring
    await mkdir(join(keyring.folder, 'runtime'), { mode: 0o700 })
    if (state !== 'no-bus') await keyring.startBus()
    if (state === 'unlocked' || state === 'locked') await keyring.startService()
    if (state === 'locked') await keyring.lock()
    return keyring
  }

  /** Variables that lead the application to this bus, and to nothing of the account's. */
  get environment(): Record<string, string> {
    if (!Keyring.controllable) return {}
    return {
      // An address without a listener keeps libdbus from looking for another bus.
      DBUS_SESSION_BUS_ADDRESS: this.address || `unix:path=${join(this.folder, 'no-bus')}`,
      XDG_RUNTIME_DIR: join(this.folder, 'runtime'),
      XDG_DATA_HOME: join(this.folder, 'data'),
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      XDG_CACHE_HOME: join(this.folder, 'cache'),
    }
  }

  /** Locks the login collection: reads then find nothing, and writes are refused. */
  async lock(): Promise<void> {
    await this.call('org.freedesktop.Secret.Service.Lock', `array:objpath:${login}`)
    await until('the collection is locked', () => this.isLocked())
  }

  /** Unlocks the login collection through the daemon's control socket, as a login with the password does. */
  async unlock(): Promise<void> {
    await sendUnlock(join(this.folder, 'runtime/keyring/control'))
    await until('the collection is unlocked', async () => !(await this.isLocked()))
  }

  /** Starts the daemon with an unlocked login collection and waits until it answers. */
  async startService(): Promise<void> {
    const daemon = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
      env: variablesFor(this.environment),
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.daemon = daemon
    daemon.stdin.end(password)
    await until('the Secret Service answers with an unlocked collection', async () => {
      if (daemon.exitCode !== null)
        throw new Error(`gnome-keyring-daemon ended with status ${daemon.exitCode}`)
      return (await this.isRunning()) && !(await this.isLocked())
    })
  }

  /** Ends the daemon; the bus stays. */
  async stopService(): Promise<void> {
    if (!this.daemon) return
    await end(this.daemon)
    this.daemon = undefined
    await until('the Secret Service is gone', async () => !(await this.isRunning()))
  }

  /** Ends everything and removes the folders. */
  async close(): Promise<void> {
    await this.stopService()
    if (this.bus) await end(this.bus)
    await rm(this.folder, { recursive: true, force: true })
  }

  private async startBus(): Promise<void> {
    const configuration = join(this.folder, 'bus.conf')
    await writeFile(configuration, busConfiguration(this.folder))
    this.bus = spawn('dbus-daemon', [`--config-file=${configuration}`, '--print-address=1', '--nofork'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.address = await firstLine(this.bus, this.bus.stdout!, 'dbus-daemon')
  }

  private async isRunning(): Promise<boolean> {
    const answer = await this.send(
      '--dest=org.freedesktop.DBus',
      '/org/freedesktop/DBus',
      'org.freedesktop.DBus.NameHasOwner',
      `string:${service}`,
    )
    return answer.includes('boolean true')
  }

  private async isLocked(): Promise<boolean> {
    const answer = await this.send(
      `--dest=${service}`,
      login,
      'org.freedesktop.DBus.Properties.Get',
      'string:org.freedesktop.Secret.Collection',
      'string:Locked',
    ).catch(() => 'no such collection yet, boolean true')
    return answer.includes('boolean true')
  }

  private call(method: string, argument: string): Promise<string> {
    return this.send(`--dest=${service}`, '/org/freedesktop/secrets', method, argument)
  }

  private async send(...args: string[]): Promise<string> {
    const { stdout } = await execute('dbus-send', [`--bus=${this.address}`, '--print-reply', ...args])
    return stdout
  }
}
