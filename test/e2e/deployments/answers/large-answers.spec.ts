import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { addEnvironment, call } from '../../support/bridge'
import { goTo, press } from '../../support/page/creation'
import { openSection } from '../../support/page/deployments'
import { expect, test } from '../../support/fixtures'
import { anyDeployment, json, StubService, useEnvironment } from '../../support/services/stub-service'

// The worst answers, files and calls: each has an end that the window can show.

const megabyte = 1024 * 1024
const whole = 31 * megabyte

const list = (item: string, count: number): string => `[${`${item},`.repeat(count - 1)}${item}]`
const page = (resources: string): string => `{"resources":${resources},"offset":1}`
const deployments = (count: number, more: (index: number) => object): string =>
  page(
    JSON.stringify(
      Array.from({ length: count }, (_, index) => ({
        ...anyDeployment(index),
        ...more(index),
      })),
    ),
  )

/** One deployment with a member of any JSON. */
const one = (member: string): string =>
  page(`[${JSON.stringify(anyDeployment(1)).slice(0, -1)},"more":${member}}]`)

const levels = 990
const deep = `${'['.repeat(levels)}${list('1', 1_900_000)}${']'.repeat(levels)}`
const keys = `{${Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":1`).join(',')}}`
const details = (count: number): string =>
  JSON.stringify({
    detail: Array.from({ length: count }, (_, index) => ({
      loc: ['body', index],
      msg: 'm',
    })),
  })

/** The worst answers by name: status, content type and body, and the expected result. */
const worst: Record<string, { body: string; ends: string; status?: number; type?: string }> = {
  'a million empty objects': {
    body: page(list('{}', 1_000_000)),
    ends: 'unreadable-answer',
  },
  'ten million empty lists': {
    body: page(list('[]', 10_000_000)),
    ends: 'unreadable-answer',
  },
  'a text of 31 MiB': {
    body: page(JSON.stringify('a'.repeat(whole))),
    ends: 'unreadable-answer',
  },
  'a deployment with a text of 31 MiB': {
    body: one(JSON.stringify('\\'.repeat(whole / 2))),
    ends: 'ok',
  },
  'two million numbers, many levels deep': { body: one(deep), ends: 'ok' },
  'sixteen million numbers': {
    body: page(list('1', whole / 2)),
    ends: 'unreadable-answer',
  },
  'a million members in one object': { body: one(keys), ends: 'ok' },
  'a hundred deployments of 300 KB': {
    body: deployments(100, () => ({ name: 'n'.repeat(300_000) })),
    ends: 'ok',
  },
  'ten times as many deployments, with long texts': {
    body: deployments(1_000, () => ({
      name: 'n'.repeat(3_000),
      image_version: 'v'.repeat(3_000),
    })),
    ends: 'ok',
  },
  'brackets that never close': {
    body: '['.repeat(whole),
    ends: 'unreadable-answer',
  },
  'white space alone': { body: ' '.repeat(whole), ends: 'unreadable-answer' },
  'a text that is no JSON': {
    body: 'x'.repeat(whole),
    ends: 'unreadable-answer',
  },
  'a web page of 31 MiB': {
    body: `<html>${'<p>'.repeat(whole / 3)}`,
    ends: 'unreadable-answer',
    type: 'text/html',
  },
  'a web page as refusal': {
    body: '<p>'.repeat(80_000),
    ends: 'bad-request',
    status: 400,
    type: 'text/html',
  },
  'a refusal of plain text': {
    body: 'é‮\u0000 '.repeat(50_000),
    ends: 'bad-request',
    status: 400,
    type: 'text/plain',
  },
  'a refusal with many details': {
    body: details(6_000),
    ends: 'bad-request',
    status: 422,
  },
  'a refusal with more details than are read': {
    body: details(100_000),
    ends: 'bad-request',
    status: 422,
  },
  'a refusal nested deeply': {
    body: '[{"detail":'.repeat(20_000),
    ends: 'bad-request',
    status: 422,
  },
}

/** The most that the page should get at once. */
const maxCharacters = 4_000_000

/** Makes a call from the page. Returns how it ended and the length of its answer, which stays in the page. */
function ask(
  page: Page,
  name: 'deployments.page' | 'deployments.get',
  input: object,
): Promise<[string, number]> {
  return page.evaluate(
    async ([callName, callInput]) => {
      const text = await window.slipway.calls[callName](`test-${Math.random()}`, callInput)
      const outcome = JSON.parse(text) as {
        ok: boolean
        failure?: { code: string }
      }
      return [outcome.failure?.code ?? 'ok', text.length]
    },
    [name, input] as const,
  )
}

test('the worst answers end clearly, and none gives the page more than it can show', async ({
  page: window,
}) => {
  test.slow()
  let answer = { status: 200, type: 'application/json', body: Buffer.from(page('[]')) }
  const service = await StubService.start((_query, response) => {
    response.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body)
  })
  try {
    const environmentId = await addEnvironment(window, 'Worst', service.baseUrl)
    const { id } = anyDeployment(1)
    for (const [what, { body, ends, status = 200, type = 'application/json' }] of Object.entries(worst)) {
      answer = { status, type, body: Buffer.from(body) }
      const query = { limit: 100, offset: 0 }
      const [end, length] = await ask(window, 'deployments.page', { environmentId, query })
      const [, detailLength] = await ask(window, 'deployments.get', { environmentId, id })
      expect.soft(end, what).toBe(ends)
      const answered = Math.max(length, detailLength)
      expect.soft(answered, `${what}: characters for the page`).toBeLessThan(maxCharacters)
    }
  } finally {
    await service.close()
  }
})

/** An object of this many characters, all of them in short members. */
const members = (length: number): string =>
  `{${Array.from({ length: Math.floor(length / 14) }, (_, index) => `"k${index}":1`).join(',')}}`

const script = `function FindProxyForURL() {} // ${'é'.repeat(15_000)}`
const scripts = {
  format: 'slipway-environments',
  version: 1,
  environments: Array.from({ length: 120 }, (_, index) => ({
    name: `Number ${index}`,
    baseUrl: 'https://deploy.example.com',
    mode: 'cloud',
    colour: 'blue',
    protected: false,
    readOnly: false,
    headers: [],
    integrations: [],
    trust: { kind: 'system' },
    proxy: { mode: 'pac-text', text: script },
  })),
}

/** The worst files to import, and whether they are accepted. */
const files: Record<string, { name: 'environments.openFile' | 'views.read'; text: string; ok: boolean }> = {
  'environments of brackets': { name: 'environments.openFile', text: '['.repeat(4_000_000), ok: false },
  'environments with many members': { name: 'environments.openFile', text: members(4_000_000), ok: false },
  'environments with long scripts': {
    name: 'environments.openFile',
    text: JSON.stringify(scripts),
    ok: true,
  },
  'views of brackets': { name: 'views.read', text: '['.repeat(2_000_000), ok: false },
  'views with many members': { name: 'views.read', text: members(2_000_000), ok: false },
}

test('the worst imported files are accepted or refused', async ({ slipway, page: shown, userData }) => {
  for (const [what, { name, text, ok }] of Object.entries(files)) {
    const path = join(userData, 'worst.json')
    await writeFile(path, text)
    await slipway.app.evaluate(({ dialog }, filePath) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [filePath] })
    }, path)
    expect.soft(await call(shown, name, {}), what).toMatchObject({ ok })
  }
})

/** What a compromised page might try. Each returns how its calls ended. */
const costly: Record<string, (shown: Page, environmentId: string) => Promise<string[]>> = {
  'a secret of two million characters': (shown, environmentId) =>
    shown.evaluate(async (id) => {
      const request = {
        name: 'large',
        source: 'internal_docker',
        source_config: {},
        source_revision_config: {},
        secrets: [{ name: 'LARGE', value: 'x7"é '.repeat(400_000) }],
      }
      const input = { environmentId: id, request, confirmedName: null }
      return [await window.slipway.calls['deployments.create']('secret', input)]
    }, environmentId),
  'identifiers of calls of 20 million characters': (shown) =>
    shown.evaluate(async () => {
      window.slipway.cancel('x'.repeat(20_000_000))
      return [await window.slipway.calls['app.state']('x'.repeat(20_000_000), {})]
    }),
  'five thousand calls at once': (shown, environmentId) =>
    shown.evaluate(async (id) => {
      const input = { environmentId: id, query: { limit: 100, offset: 0 } }
      const ends = Array.from({ length: 5_000 }, (_, index) => {
        const end = window.slipway.calls['deployments.page'](`many-${index}`, input)
        window.slipway.cancel(`many-${index}`)
        return end
      })
      return Promise.all(ends)
    }, environmentId),
}

test('calls that a page would never make are refused, or end once they are cancelled', async ({
  page: shown,
}) => {
  const state = await call(shown, 'app.state', {})
  if (!state.ok) throw new Error(state.failure.message)
  const codes: Record<string, string[]> = {}
  for (const [what, make] of Object.entries(costly)) {
    const texts = await make(shown, state.value.currentEnvironmentId)
    const ends = texts.map(
      (text) => (JSON.parse(text) as { failure?: { code: string } }).failure?.code ?? 'ok',
    )
    codes[what] = [...new Set(ends)].sort()
  }
  expect(codes).toEqual({
    'a secret of two million characters': ['invalid-input'],
    'identifiers of calls of 20 million characters': ['invalid-input'],
    'five thousand calls at once': ['cancelled', 'not-allowed'],
  })
})

test('the screen says which parts of a large answer are left out', async ({ page: window }) => {
  const large = {
    ...anyDeployment(1),
    more: { texts: Array(9).fill('t'.repeat(90_000)) as string[] },
  }
  const service = await StubService.start(json({ resources: [large], offset: 1 }))
  try {
    await useEnvironment(window, { baseUrl: service.baseUrl })
    await window.getByRole('link', { name: 'stub-1' }).click()
    await expect(window.getByText('This deployment is too large to show in full')).toBeVisible()
    await expect(window.getByRole('button', { name: 'Clone', exact: true })).toBeDisabled()
    await openSection(window, 'JSON')
    await expect(window.getByRole('region', { name: 'Deployment as JSON' })).toContainText('"id"')

    service.answer = json(
      Array.from({ length: 10_005 }, (_, index) => ({
        name: `repository-${index}`,
      })),
    )
    await goTo(window, 'Repositories')
    await window
      .getByRole('combobox', { name: 'Integration ID' })
      .fill('0b9e7a52-6a43-4c77-8f3e-2f3a4d1c9b10')
    await press(window, 'List repositories')
    await expect(window.getByText('Only the first 10,000 of 10,005 repositories are shown')).toBeVisible()
  } finally {
    await service.close()
  }
})
