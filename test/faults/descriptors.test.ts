import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemNetwork } from '@contract'
import { expect, test } from 'vitest'
import { startDisplay } from '../e2e/support/display'
import { Harness } from '../harness/process'

test.runIf(process.platform === 'linux')(
  'a time in which the main process has no file descriptors left stops no request for good',
  async () => {
    const display = await startDisplay()
    const folder = await mkdtemp(join(tmpdir(), 'slipway-descriptors-'))
    const harness = await Harness.start(join(folder, 'electron'), display.environment)
    const service = createServer((incoming, response) => {
      response.writeHead(incoming.method === 'POST' ? 422 : 200, { 'Content-Type': 'application/json' })
      incoming.resume().on('end', () => response.end('{"resources":[],"offset":0}'))
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    const mayOpen = (count: number) => execFileSync('prlimit', [`--pid=${harness.pid}`, `--nofile=${count}:`])
    const check = () => harness.ask('check', { baseUrl, network: systemNetwork })
    try {
      await harness.ask('open', { folder, timeLimitMs: 2_000, environments: [] })
      expect(await check()).toMatchObject({ ok: true })
      mayOpen(30)
      for (let times = 0; times < 3; times += 1) expect(await check()).toMatchObject({ ok: false })
      mayOpen(20_000)
      await expect.poll(check, { timeout: 30_000 }).toMatchObject({ ok: true })
    } finally {
      await harness.kill()
      await display.close()
      service.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  },
  90_000,
)
