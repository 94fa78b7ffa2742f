import { type ChildProcess, spawn } from 'node:child_process'
import { access, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInEnvironments } from '@contract'
import { projectFolder } from '../../../electron/launcher/base.mjs'
import { variablesFor } from '../../support/main/variables'
import { expect, alone as base } from '../support/fixtures'
import { end, execute } from '../support/processes'

/** A run of the packaged program, to which no tool can attach: its output, and how it ended. */
interface Started {
  child: ChildProcess
  output: () => string
  ended: Promise<number | null>
}

type StartPackage = (
  args: string[],
  env?: Record<string, string>,
  user?: { uid?: number; gid?: number },
) => Started

const test = base.extend<{ startPackage: StartPackage }>({
  startPackage: async ({ display, keyring, userData }, use) => {
    const children: ChildProcess[] = []
    await use((args, env = {}, user = {}) => {
      const child = spawn(program, [...rootSwitches, `--user-data-dir=${userData}`, ...args], {
        cwd: tmpdir(),
        ...user,
        env: variablesFor(display.environment, keyring.environment, env),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      children.push(child)
      let text = ''
      const listen = (piece: Buffer): void => void (text += piece.toString())
      child.stdout.on('data', listen)
      child.stderr.on('data', listen)
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      return { child, output: () => text, ended }
    })
    for (const child of children) await end(child)
  },
})

test.skip(process.platform !== 'linux', 'Where the packaged program is, is known for Linux only.')
// All in one worker, so that the package is built once.
test.describe.configure({ mode: 'default' })
test.use({ keyringState: 'unlocked' })

const program = join(projectFolder, 'out/package/linux-unpacked/slipway')
const rootSwitches = process.getuid?.() === 0 ? ['--no-sandbox'] : []

test.beforeAll(async () => {
  test.setTimeout(300_000)
  await execute(process.execPath, [join(projectFolder, 'electron/launcher/run.mjs'), 'package', '--trial'])
})

/** Whether the deployments are cached on disk. Then window, service, keychain and cache have all worked. */
async function copyIsKept(userData: string): Promise<boolean> {
  const folder = join(userData, 'cache')
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
  return sizes.some((size) => size > 100_000)
}

const becomesReady = (userData: string): Promise<void> =>
  expect.poll(() => copyIsKept(userData), { timeout: 45_000 }).toBe(true)

test('the package shows the deployments, caches them encrypted, and is no Node to run scripts with', async ({
  startPackage,
  userData,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-script-'))
  try {
    const marker = join(folder, 'was-run')
    const script = join(folder, 'script.cjs')
    await writeFile(script, `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`)
    const started = startPackage([script], {
      ELECTRON_RUN_AS_NODE: '1',
      NODE_OPTIONS: `--require=${script}`,
    })
    await becomesReady(userData)
    await expect(access(marker)).rejects.toThrow('ENOENT')
    expect(started.output()).not.toMatch(/Uncaught|UnhandledPromiseRejection/)
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(0)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a second start of the package passes its link on', async ({ startPackage, userData }) => {
  const started = startPackage([])
  await expect
    .poll(() => readText(join(userData, 'logs/slipway.log')), { timeout: 45_000 })
    .toContain('begins')
  const name = encodeURIComponent(builtInEnvironments.cloud.name)
  const second = startPackage(['--', `slipway://${name}/repositories`])
  expect(await second.ended).toBe(0)
  await expect.poll(() => readText(join(userData, 'choices.json'))).toContain('"path": "/repositories"')
  started.child.kill('SIGTERM')
  expect(await started.ended).toBe(0)
})

const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
