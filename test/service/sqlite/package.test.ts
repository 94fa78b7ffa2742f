import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inProject } from '../../../electron/launcher/base.mjs'
import { findProgram } from '../../../electron/launcher/system'
import { freePort } from '../../support/service/free-port'
import { temporaryFolder } from '../../support/service/service-process'
import { creation, listAll, post } from '../../support/service/client'

// The service's own package, and the recipes in it, each followed step by step in an empty folder without access to the
// checkout. This folder stands in for the root of a machine.

const folder = temporaryFolder()
const inFolder = (...names: string[]): string => join(folder, ...names)
const children: ReturnType<typeof spawn>[] = []
let archive: string

beforeAll(() => {
  const output = execFileSync(process.execPath, [inProject('electron/launcher/run.mjs'), 'package:service'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const file = output.split('\n').find((line) => /slipway-service-\d+\.\d+\.\d+\.tgz$/.test(line))!
  archive = inFolder(basename(file))
  copyFileSync(file, archive)
})
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a command of a recipe, and returns its URL and its log so far. */
async function started(
  [program, ...args]: string[],
  environment: Record<string, string> = {},
): Promise<{ url: string; log: () => string }> {
  const child = spawn(program === 'node' ? process.execPath : program!, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let text = ''
  let log = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk))
  await expect.poll(() => text || log, { timeout: 30_000 }).toMatch(/^listening on \S+\n/)
  return { url: /^listening on (\S+)\n/.exec(text)![1]!, log: () => log }
}

it('runs with Node without a checkout', async () => {
  const program = inFolder('alone')
  mkdirSync(program)
  execFileSync('tar', ['--extract', '--file', archive, '--directory', program, '--strip-components', '1'])
  expect(readdirSync(program).sort()).toEqual([
    'LICENSE',
    'LICENSES.packages.txt',
    'README.md',
    'main',
    'node_modules',
    'package.json',
    'recipes',
    'sbom.cdx.json',
  ])

  const script = join(program, 'main/service.cjs')
  const args = ['--mode', 'cloud', '--port', '0', '--data', inFolder('alone-data')]
  const { url, log } = await started(['node', script, ...args, '--sample', '5', '--log-format', 'json'])
  expect((await post(url, creation())).status).toBe(201)
  expect(await listAll(url)).toHaveLength(6)
  expect((await fetch(`${url}/metrics`)).status).toBe(200)
  expect(log()).toContain('"status":201')

  // These are loaded only with --database.
  const refused = [script, '--mode', 'cloud', '--database', 'postgres://x@127.0.0.1:1/x']
  expect(() => execFileSync(process.execPath, refused, { cwd: folder, stdio: 'pipe' })).toThrow(
    'ECONNREFUSED',
  )
})

/** The text of a recipe, with this folder in place of the root. */
function recipe(name: string, ...paths: string[]): string {
  return paths.reduce(
    (text, path) => text.replaceAll(new RegExp(`(?<=[\\s"=])${path}(?=[/\\s".])`, 'g'), inFolder(path)),
    readFileSync(inProject('resources/service', name), 'utf8'),
  )
}

it('becomes a container by the steps of its Containerfile', async () => {
  mkdirSync(inFolder('opt'))
  mkdirSync(inFolder('tmp'))
  const port = await freePort()
  const text = recipe('Containerfile', '/opt/slipway-service', '/tmp/slipway-service.tgz', '/data')
  const steps = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => ({ word: line.split(' ')[0]!, rest: line.slice(line.indexOf(' ') + 1) }))
  const wordsOf = (wanted: string): string[] =>
    JSON.parse(steps.find(({ word }) => word === wanted)!.rest.replace(/^CMD /, '')) as string[]
  for (const { word, rest } of steps) {
    if (word === 'COPY') execFileSync('sh', ['-c', `cp ${rest}`], { cwd: folder })
    // This machine may have no such account.
    if (word === 'RUN')
      execFileSync('sh', ['-c', rest.replace('--owner node --group node', '')], { cwd: folder })
  }
  expect(statSync(inFolder('data')).mode & 0o777).toBe(0o700)
  const apiKey = 'a-key-for-tests-only'
  const command = [...wordsOf('ENTRYPOINT'), ...wordsOf('CMD'), '--port', String(port)]
  const healthcheck = (): number | null => {
    const [, ...args] = wordsOf('HEALTHCHECK').map((word) => word.replace('4600', String(port)))
    return spawnSync(process.execPath, args).status
  }
  expect(healthcheck()).toBe(1)
  await started(command, { SLIPWAY_SERVICE_API_KEY: apiKey })
  expect(healthcheck()).toBe(0)
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
  const url = `http://127.0.0.1:${port}`
  expect((await post(url, creation(), { headers })).status).toBe(201)
})

const systemd = findProgram('systemd-analyze')

it.runIf(systemd)(
  'has a unit that systemd accepts, and whose command starts',
  async () => {
    mkdirSync(inFolder('unit/opt/slipway-service'), { recursive: true })
    const program = inFolder('unit/opt/slipway-service')
    execFileSync('tar', ['--extract', '--file', archive, '--directory', program, '--strip-components', '1'])
    const text = readFileSync(join(program, 'recipes/slipway-service.service'), 'utf8').replace(
      '/usr/bin/node',
      process.execPath,
    )
    const findings = (unit: string): string => {
      const file = inFolder('slipway-service.service')
      writeFileSync(file, unit)
      const { stderr } = spawnSync(systemd!, ['verify', '--recursive-errors=no', file], { encoding: 'utf8' })
      return stderr
    }
    expect(findings(text)).toBe('')
    expect(findings(text.replace('Restart=on-failure', 'Restart=sometimes'))).toContain('sometimes')

    const [, command] = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(text)!
    const words = command!
      .replace(/\\\n/g, ' ')
      .replace('/opt/slipway-service', program)
      .replace('/var/lib/slipway', inFolder('unit/data'))
      .split(/\s+/)
    const { url } = await started([...words, '--port', '0'])
    expect((await post(url, creation())).status).toBe(201)
  },
  120_000,
)
