import { generateKeyPairSync } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { inProject } from '../../../electron/launcher/base.mjs'
import { signRelease } from '../../../electron/launcher/packaging/publish'
import { filesWith } from '../support/files'
import { alone, expect, type Slipway } from '../support/fixtures'

/** What publishes versions. */
interface Publisher {
  /** The version that it tells of; null while it doesn't answer. */
  version: string | null
  /** How often it was asked. */
  asked: number
  address: string
}

const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

const test = alone.extend<{ publisher: Publisher }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures out of this pattern
  publisher: async ({}, use) => {
    const publisher: Publisher = { version: null, asked: 0, address: '' }
    const server = createServer((_request, response) => {
      publisher.asked += 1
      const { version } = publisher
      // The number of the version is its day, too.
      const release = { date: `2026-01-0${version?.[0]}T00:00:00.000Z`, notes: 'Faster.', minimum: '0.0.1' }
      if (version !== null) response.end(signRelease({ version, ...release }, privateKey))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    publisher.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/latest.json`
    await use(publisher)
    server.closeAllConnections()
    server.close()
  },

  /** As a publisher's build is, and with the file beside it that a package has. */
  program: async ({ publisher }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-updates-'))
    await cp(inProject('out'), join(folder, 'out'), {
      recursive: true,
      filter: (path) => path !== inProject('out/package'),
    })
    for (const name of ['node_modules', 'resources']) await symlink(inProject(name), join(folder, name))
    const main = await filesWith(join(folder, 'out/main'), 'updates.json')
    expect(main).toHaveLength(1)
    const source = JSON.stringify({ address: publisher.address, key: publicKey.toString('base64') })
    const text = await readFile(main[0]!, 'utf8')
    const built = text.replace(
      /(createUpdates\(\{\s*source: )null,/,
      (_whole, before: string) => `${before}${source},`,
    )
    expect(built).not.toBe(text)
    await writeFile(main[0]!, built)
    const manifest = JSON.parse(await readFile(inProject('package.json'), 'utf8')) as object
    await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, main: 'start.cjs' }))
    await writeFile(
      join(folder, 'start.cjs'),
      `Object.defineProperty(process, 'resourcesPath', { value: __dirname })\nrequire('./out/main/index.cjs')\n`,
    )
    await use(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  },
})

const notice = (page: Page) => page.getByRole('region', { name: 'Update' })
const noticesButton = (page: Page, unread: number) =>
  page.getByRole('button', { name: `Notices, ${unread} unread` })
const toldSwitch = (page: Page) => page.getByRole('switch', { name: 'Tell me about new versions' })

test('a newer version is told once with the command of its package, and not while the operator wants none', async ({
  publisher,
  program,
  userData,
  start,
}) => {
  let started: Slipway | null = null
  /** Starts it as installed from a package, a day after it last asked. */
  const startAs = async (packageType: string) => {
    await started?.close()
    await writeFile(join(program, 'package-type'), `${packageType}\n`)
    const kept = join(userData, 'updates.json')
    const text = await readFile(kept, 'utf8').catch(() => '{}')
    await writeFile(kept, text.replace(/"askedAt": "[^"]+"/, '"askedAt": "2026-01-01T00:00:00.000Z"'))
    started = await start()
    return started
  }

  await test.step('a newer version', async () => {
    publisher.version = '2.0.0'
    const { page } = await startAs('deb')
    await noticesButton(page, 1).click()
    await expect(notice(page)).toContainText('Slipway 2.0.0 is available')
    await expect(notice(page)).toContainText('Faster.')
    await expect(notice(page)).toContainText('sudo apt-get update && sudo apt-get install slipway')
  })

  await test.step('until it is dismissed, also while the publisher is silent', async () => {
    publisher.version = null
    const { page } = await startAs('rpm')
    await noticesButton(page, 1).click()
    await expect(notice(page)).toContainText('sudo dnf upgrade --refresh slipway')
    expect(publisher.asked).toBe(2)
    await page.getByRole('button', { name: 'Dismiss: update' }).click()
    await expect(notice(page)).toHaveCount(0)
    await expect(noticesButton(page, 0)).toBeVisible()
    await toldSwitch(page).click()
    await expect(toldSwitch(page)).not.toBeChecked()
  })

  await test.step('switched off, until it is switched on', async () => {
    publisher.version = '3.0.0'
    const { page } = await startAs('tar')
    await noticesButton(page, 0).click()
    await expect(toldSwitch(page)).not.toBeChecked()
    // Had it been asked before, it would not be asked again today.
    publisher.version = '4.0.0'
    await toldSwitch(page).click()
    await expect(notice(page)).toContainText('Slipway 4.0.0 is available')
    await expect(notice(page)).toContainText('Get it from where you got this one.')
  })
})
