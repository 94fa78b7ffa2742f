import { succeed } from '@contract'
import { expect, it, vi } from 'vitest'
import { loggedClient } from '../../../../../electron/main/http/logged'
import type { HttpClient } from '../../../../../electron/main/http/types'
import { createLog } from '../../../../../electron/main/log/log'
import { createRedactor } from '../../../../../electron/main/log/secrets/redaction'

it('sends a request only once the log knows its secrets, however long that takes', async () => {
  const redactor = createRedactor()
  const long = Array.from({ length: 10_000 }, (_, index) => `"${index}'\\`).join('')
  const shown: string[] = []
  const client: HttpClient = {
    request: () => {
      shown.push(redactor.redact(`the-key and ${long}`))
      return Promise.resolve(succeed({ status: 200, body: new Uint8Array(), durationMs: 1 }))
    },
    forget: vi.fn(),
  }
  const target = { environmentId: 'e', baseUrl: 'https://a.example', headers: { 'X-Api-Key': 'the-key' } }
  const logged = loggedClient(client, createLog(redactor), redactor)
  await logged.request({ target, method: 'POST', path: '/', secrets: [long] })
  expect(shown[0]).toMatch(/^••• and •+$/)
})
