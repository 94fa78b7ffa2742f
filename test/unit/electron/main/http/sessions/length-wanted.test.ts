import { failure, type NetworkSettings, systemNetwork } from '@contract'
import { expect, it } from 'vitest'
import { heedLength, isLengthWanted } from '../../../../../../electron/main/http/sessions/length-wanted'

it("isn't assumed for another service at the same origin, behind another proxy", () => {
  const url = 'https://one.example/base'
  const proxied: NetworkSettings = {
    ...systemNetwork,
    proxy: { mode: 'manual', host: 'elsewhere', port: 3128, credentials: null },
  }
  heedLength(url, proxied, failure('bad-request', 'No.', { sent: 'answered', status: 411 }))
  expect(isLengthWanted(url, proxied)).toBe(true)
  expect(isLengthWanted(`${url}/v2/deployments`, proxied)).toBe(true)
  expect(isLengthWanted(url, systemNetwork)).toBe(false)
})
