import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inProject } from '../../../electron/launcher/base.mjs'
import { findProgram } from '../../../electron/launcher/system'
import { freePort } from '../../support/service/free-port'
import { suiteDatabases } from '../../support/service/postgres/postgres-server'
import { type RunningService, startService } from '../../support/service/service-process'
import { creation, listAll, post, send } from '../../support/service/client'

// Two instances behind nginx, set up by the recipe. Skipped on a machine without nginx.
const nginx = findProgram('nginx')

describe.runIf(nginx)('two instances behind nginx', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-nginx-'))
  let services: RunningService[] = []
  let proxy: ChildProcess
  let url: string

  beforeAll(async () => {
    const database = await suiteDatabases().create('proxied')
    const name = 'localhost'
    services = await Promise.all(
      [1, 2].map(() =>
        startService({
          database,
          provisionMs: 300,
          args: ['--allowed-host', name, '--archives', join(folder, 'archives')],
        }),
      ),
    )
    const port = await freePort()
    const recipe = (file: string): string => readFileSync(inProject('resources/service', file), 'utf8')
    const instances = recipe('nginx-server.conf')
      .replace('127.0.0.1:4600', new URL(services[0]!.url).host)
      .replace('127.0.0.1:4601', new URL(services[1]!.url).host)
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replace('server_name deployments.example', `server_name ${name}`)
    writeFileSync(join(folder, 'nginx-server.conf'), instances)
    writeFileSync(join(folder, 'nginx.conf'), recipe('nginx.conf'))
    const files = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'error.log']
    proxy = spawn(nginx!, [...files, '-g', 'daemon off;'], { stdio: 'ignore' })
    url = `http://${name}:${port}`
  })

  afterAll(async () => {
    proxy.kill('SIGTERM')
    await Promise.all(services.map((service) => service.dispose()))
    rmSync(folder, { recursive: true, force: true })
  })

  it('accept an upload at the address of the proxy', async () => {
    const archive = new Uint8Array(Buffer.concat([gzipSync('an agent'), Buffer.alloc(2_000_000)]))
    await expect
      .poll(
        () =>
          fetch(`${url}/ready`).then(
            ({ status }) => status,
            () => null,
          ),
        { timeout: 20_000 },
      )
      .toBe(200)
    for (let index = 0; index < 4; index += 1) {
      const { body: made } = await post(url, creation())
      const address = await send<{ upload_url: string }>(`${url}/v2/deployments/${made.id}/upload-url`, {
        method: 'POST',
      })
      expect(address.body.upload_url.startsWith(`${url}/uploads/`)).toBe(true)
      const headers = { 'content-type': 'application/gzip' }
      const answer = await send(address.body.upload_url, { method: 'PUT', headers, body: archive })
      expect(answer.status).toBe(200)
    }
  })

  it('act as one service; if one is killed, nothing is missing', async () => {
    const isReady = (): Promise<boolean> =>
      fetch(`${url}/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    await expect.poll(isReady, { timeout: 20_000 }).toBe(true)
    const accepted: string[] = []
    const failed: number[] = []
    let goesOn = true
    const createAll = async (): Promise<void> => {
      while (goesOn) {
        const response = await fetch(`${url}/v2/deployments`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(creation()),
        })
        const text = await response.text()
        if (response.status === 201) accepted.push((JSON.parse(text) as { id: string }).id)
        else failed.push(response.status)
      }
    }
    const work = Array.from({ length: 4 }, createAll)
    await expect.poll(() => accepted.length, { timeout: 30_000 }).toBeGreaterThan(40)
    const posts = (service: RunningService): number => service.log().split('POST /v2').length - 1
    for (const service of services) expect(posts(service)).toBeGreaterThan(5)

    await services[0]!.kill()
    const atDeath = accepted.length
    await expect.poll(() => accepted.length, { timeout: 30_000 }).toBeGreaterThan(atDeath + 40)
    goesOn = false
    await Promise.all(work)
    // At most the requests in progress at the killed instance: each of the four clients has one at a time.
    expect(failed.length).toBeLessThanOrEqual(4)
    const shown = async (): Promise<unknown[]> => {
      const all = await listAll(url)
      const ids = new Set(all.map(({ id }) => id))
      return [accepted.filter((id) => !ids.has(id)), all.filter(({ status }) => status !== 'READY')]
    }
    await expect.poll(shown, { timeout: 20_000 }).toEqual([[], []])
    expect((await post(url, creation())).status).toBe(201)
  })
})
