import type { SecretsPlace } from '@contract'
import { expect, it } from 'vitest'
import {
  isShownWhole,
  confirmSecretsBy,
  type SecretsQuestion,
} from '../../../../../../electron/main/stored/drafts/confirm-secrets'
import type { Question } from '../../../../../../electron/main/window/dialogs/questions'

const place = (environmentName: string, baseUrl: string | null): SecretsPlace => ({
  environmentId: environmentName,
  environmentName,
  route: baseUrl === null ? null : { baseUrl, ...network, tenant: null, headers: '' },
})
const network = { trust: { kind: 'system' as const }, proxy: { mode: 'system' as const } }

async function questionOf(question: SecretsQuestion): Promise<Question> {
  const questions: Question[] = []
  await confirmSecretsBy((one) => {
    questions.push(one)
    return Promise.resolve(false)
  })(question)
  return questions[0]!
}

it('says which secrets would go where, and what they were entered for, by source', async () => {
  const to = place('Copy', 'https://user-chosen.example/prefix')
  const proxy = { mode: 'manual' as const, host: 'proxy.example', port: 3128, credentials: null }
  const from = place('Production', 'https://deploy.example')
  const pac = { mode: 'pac-url' as const, url: 'http://pac.example/p' }
  const before = { ...to, route: { ...to.route!, proxy: pac } }
  const { message, detail, agree } = await questionOf({
    deploymentName: 'agent',
    to: { ...to, route: { ...to.route!, proxy } },
    secrets: [
      { name: 'KEY', from },
      { name: '', from: place('Sandbox (cloud)', null) },
      { name: 'OWN', from: before },
      { name: 'OTHER', from: { ...from } },
    ],
    others: [],
  })
  expect(message).toBe('Send 4 stored secrets to https://user-chosen.example?')
  expect(detail.split('\n\n')).toEqual([
    expect.stringMatching(
      /^Cancel unless you just asked .* asks again about this destination only after a restart/,
    ),
    'Deployment: agent\nEnvironment: Copy\nProxy: proxy.example:3128',
    'This deployment uses 4 stored secrets that were entered for a different destination:\n' +
      'Entered for: https://deploy.example\nEnvironment: Production\nDifferent now: environment, server, proxy\n' +
      'Secrets: “KEY”, “OTHER”',
    'Entered for: the built-in service on this machine\nEnvironment: Sandbox (cloud)\n' +
      'Different now: environment, server\nSecrets: “unnamed”',
    'Entered for: https://user-chosen.example\nEnvironment: Copy\nProxy: chosen by the PAC file http://pac.example/p\n' +
      'Different now: proxy\nSecrets: “OWN”',
  ])
  expect(agree).toBe('Send secrets')
})

it("says that it isn't known what a secret was entered for", async () => {
  const { message, detail } = await questionOf({
    deploymentName: 'agent',
    to: place('Copy', null),
    secrets: [{ name: 'OLD', from: null }],
    others: [],
  })
  expect(message).toBe('Send 1 stored secret to the built-in service on this machine?')
  expect(detail.split('\n\n')[2]).toMatch(
    /^Slipway doesn't know what this secret was entered for \(it was saved by an earlier version, .*\):\nSecrets: “OLD”$/,
  )
  expect(detail).not.toContain('different destination')
})

it('names every secret and every source, and no name looks like more than one', async () => {
  const name = `\u202egnp.exe\n\nProduction” (https://deploy.example), "KEY" «${'x'.repeat(10_000)}`
  const secrets = Array.from({ length: 5 }, (_, index) => ({
    name: `${index} ${name}`,
    from: place(index < 4 ? name : 'Production', 'https://deploy.example'),
  }))
  const question = { deploymentName: name, to: place(name, null), secrets, others: [] }
  const { message, detail } = await questionOf(question)
  expect(message).toBe('Send 5 stored secrets to the built-in service on this machine?')
  const named = [...detail.matchAll(/“(\d+) [^“”]*”(, |$)/gm)].map(([, index]) => Number(index))
  expect(named).toEqual(secrets.map((_, index) => index))
  expect(detail).toContain(`Environment: Production\nDifferent now: environment, server\nSecrets: “4 `)
  expect(detail).not.toMatch(/["«\u202e]/)
})

/** The height of a text with 60 characters on a line. */
const heightOf = (text: string): number =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil([...line].length / 60)), 0)

it.each<[string, number, (index: number) => { name: string; environment: string; host: string }]>([
  [
    'secrets of short names',
    40,
    (index) => ({ name: `KEY_${index}`, environment: 'Production', host: 'one' }),
  ],
  [
    'secrets of long names',
    7,
    (index) => ({ name: `${index}`.padEnd(60, 'x'), environment: 'P', host: 'one' }),
  ],
  ['environments', 3, (index) => ({ name: 'KEY', environment: `Production ${index}`, host: 'one' })],
  ['services', 3, (index) => ({ name: 'KEY', environment: 'Production', host: `service-${index}` })],
  [
    'services of long names',
    2,
    (index) => ({ name: 'KEY', environment: 'Production', host: `${'sub-domain.'.repeat(20)}${index}` }),
  ],
])("fits on a screen, or isn't asked: %s", async (_what, max, entered) => {
  const question = (count: number): SecretsQuestion => ({
    deploymentName: 'agent',
    to: place('Copy', 'https://copy.example'),
    secrets: Array.from({ length: count }, (_, index) => {
      const { name, environment, host } = entered(index)
      return { name, from: place(environment, `https://${host}.example`) }
    }),
    others: [],
  })
  const possible = Array.from({ length: 60 }, (_, index) => index + 1).filter((count) =>
    isShownWhole(question(count)),
  )
  expect(possible).toEqual(Array.from({ length: max }, (_, index) => index + 1))
  const { message, detail } = await questionOf(question(max))
  expect(heightOf(message) + heightOf(detail)).toBeLessThanOrEqual(28)
})

it('says what consent covers beyond this deployment', async () => {
  const [from, to] = ['https://old.example', 'https://new.example'].map((url) => place('Production', url))
  const { message, detail } = await questionOf({
    deploymentName: 'agent',
    to: to!,
    secrets: [{ name: 'KEY', from: from! }],
    others: ['TOKEN', 'evil”\n\nSecrets: “NONE'],
  })
  expect(message).toBe('Send 1 stored secret to https://new.example?')
  expect(detail.split('\n\n')[3]).toBe(
    'Other drafts use 2 stored secrets that were entered for the same destination as it was. If you agree, Slipway sends ' +
      "them there without asking once you create those deployments:\nSecrets: “TOKEN”, “evil'␊␊Secrets: 'NONE”",
  )
})

it.each([
  ['certificate', { trust: { kind: 'authority' as const, pem: 'of a page' } }, 'Certificate: signed by a CA'],
  ['tenant', { tenant: 'another' }, 'Tenant: another'],
  ['request headers', { headers: 'of another account' }, null],
])('says that another environment at the same origin has another %s', async (what, changed, line) => {
  const from = place('Production', 'https://deploy.example')
  const to = place('Production ', 'https://deploy.example')
  const { detail } = await questionOf({
    deploymentName: 'agent',
    to: { ...to, route: { ...to.route!, ...changed } },
    secrets: [{ name: 'KEY', from }],
    others: [],
  })
  expect(detail).toContain(`Different now: environment, ${what}\n`)
  if (line) expect(detail.split('\n\n')[1]).toContain(`\n${line}`)
})
