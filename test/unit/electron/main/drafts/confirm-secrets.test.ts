import type { SecretsPlace } from '@contract'
import { expect, it } from 'vitest'
import { confirmSecretsBy, type SecretsQuestion } from '../../../../../electron/main/drafts/confirm-secrets'
import type { Question } from '../../../../../electron/main/window/questions'

const place = (environmentName: string, baseUrl: string | null): SecretsPlace => ({
  environmentId: environmentName,
  environmentName,
  route: baseUrl === null ? null : { baseUrl, ...network, tenant: null, headers: '' },
})
const network = { trust: { kind: 'system' as const }, proxy: { mode: 'system' as const } }

async function asked(question: SecretsQuestion): Promise<Question> {
  const questions: Question[] = []
  await confirmSecretsBy((one) => {
    questions.push(one)
    return Promise.resolve(false)
  })(question)
  return questions[0]!
}

it('says which secrets of which draft were entered for what, and where they would go', async () => {
  const to = place('Copy', 'https://user-chosen.example/prefix')
  const proxy = { mode: 'manual' as const, host: 'proxy.example', port: 3128, credentials: null }
  const from = place('Production', 'https://deploy.example')
  const { message, detail, agree } = await asked({
    draftName: 'agent',
    to: { ...to, route: { ...to.route!, proxy } },
    secrets: [
      { name: 'KEY', from, why: 'it was entered for another environment' },
      { name: '', from: place('Sandbox (cloud)', null), why: 'it was entered for another environment' },
      { name: 'OLD', from: null, why: 'it is not known what it was entered for' },
    ],
  })
  expect(message).toBe(
    'Send 3 kept secrets to “Copy” (https://user-chosen.example through the proxy proxy.example:3128)?',
  )
  expect(detail).toContain('The draft “agent” has 3 kept secrets from before.')
  expect(detail.split('\n').filter((line) => line.startsWith('•'))).toEqual([
    '• KEY: entered for “Production” (https://deploy.example); it was entered for another environment.',
    '• unnamed: entered for “Sandbox (cloud)” (on this machine); it was entered for another environment.',
    '• OLD: it is not known what it was entered for.',
  ])
  expect(agree).toBe('Send secrets')
})

it('stays short and legible, whatever the names are', async () => {
  const name = `\u202egnp.exe\n\n“Production” (https://deploy.example)${'x'.repeat(10_000)}`
  const secrets = Array.from({ length: 1_000 }, () => ({ name, from: null, why: 'w' }))
  const { message, detail } = await asked({ draftName: name, to: place('Copy', null), secrets })
  expect(message).toBe('Send 1000 kept secrets to “Copy” (on this machine)?')
  expect(detail).toContain('and 992 more')
  expect(detail).not.toContain('\u202e')
  expect(detail.split('\n').length).toBeLessThan(20)
  expect(detail.length).toBeLessThan(2_500)
})
