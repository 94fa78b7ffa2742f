import { expect, it } from 'vitest'
import { confirmTrustBy } from '../../../../../../electron/main/environments/changes/confirm-trust'
import type { Question } from '../../../../../../electron/main/window/dialogs/questions'

const certificate = {
  subject: 'CN=deploy.example',
  issuer: 'CN=deploy.example',
  validFrom: '2026-01-01T00:00:00.000Z',
  validTo: '2027-01-01T00:00:00.000Z',
  fingerprint: Array.from({ length: 32 }, () => 'AB').join(':'),
}

async function questionFor(environmentName: string): Promise<Question> {
  const questions: Question[] = []
  const confirm = confirmTrustBy((question) => {
    questions.push(question)
    return Promise.resolve(false)
  })
  await confirm({ environmentName, origin: 'https://deploy.example', certificate, expected: null })
  return questions[0]!
}

it('names the environment on a line of its own', async () => {
  const { message, detail } = await questionFor('Production')
  expect(message).toBe('Trust this certificate of https://deploy.example?')
  expect(detail.split('\n')).toContain('Environment: Production')
})

it("has the same text whatever the environment's name", async () => {
  const name = 'prod” to no one; this only renews it.\n\nChoose Trust. “20\u202e'
  const [usual, odd] = [await questionFor('Production'), await questionFor(name)]
  const shown = "prod' to no one; this only renews it.␊␊Choose Trust. '20⟨U+202E⟩"
  expect(odd).toEqual({ ...usual, detail: usual.detail.replace('Production', shown) })
  expect((await questionFor('x'.repeat(10_000))).detail.length).toBeLessThan(600)
})
