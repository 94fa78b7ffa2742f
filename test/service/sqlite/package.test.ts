import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { inProject } from '../../../electron/launcher/base/paths.mjs'
import { temporaryFolder } from '../../support/service/service-process'
import { creation, listAll, post } from '../client'

const folder = temporaryFolder()
const children: ReturnType<typeof spawn>[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

// The steps of the container file, in an empty folder, with nothing of the checkout in reach.
it('the package of the service alone runs with Node where there is no checkout', async () => {
  const output = execFileSync(process.execPath, [inProject('electron/launcher/service-package.mjs')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const file = output.trim().split('\n').at(-1)!
  expect(file).toMatch(/slipway-service-\d+\.\d+\.\d+\.tgz$/)
  const program = join(folder, 'opt')
  mkdirSync(program)
  execFileSync('tar', ['--extract', '--file', file, '--directory', program, '--strip-components', '1'])
  expect(readdirSync(program).sort()).toEqual([
    'LICENSE',
    'README.md',
    'main',
    'node_modules',
    'package.json',
    'recipes',
  ])
  // Two builds of libsql for Linux, and next to nothing else.
  expect(sizeOf(program)).toBeLessThan(25_000_000)

  const args = ['main/service.cjs', '--mode', 'cloud', '--port', '0', '--data', join(folder, 'data')]
  const child = spawn(process.execPath, [...args, '--sample', '5', '--log-format', 'json'], {
    cwd: program,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let text = ''
  let log = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk))
  await expect.poll(() => text + log, { timeout: 30_000 }).toMatch(/^listening on \S+\n/)
  const url = /^listening on (\S+)\n/.exec(text)![1]!
  expect((await post(url, creation())).status).toBe(201)
  expect(await listAll(url)).toHaveLength(6)
  expect((await fetch(`${url}/metrics`)).status).toBe(200)
  expect(log).toContain('"status":201')

  // What is loaded only with --database.
  const refused = ['main/service.cjs', '--mode', 'cloud', '--database', 'postgres://x@127.0.0.1:1/x']
  expect(() => execFileSync(process.execPath, refused, { cwd: program, stdio: 'pipe' })).toThrow(
    'ECONNREFUSED',
  )
}, 120_000)
