import { succeed } from '@contract'
import { expect, it } from 'vitest'
import { loggedKeychain } from '../../../../../../electron/main/processes/keychain/logged'
import { marker } from '../../../../../../electron/main/processes/keychain/marker'
import type { Keychain } from '../../../../../../electron/main/processes/keychain/types'
import type { Log } from '../../../../../../electron/main/log'
import { createRedactor } from '../../../../../../electron/main/log/secrets/redaction'

it('treats entries of the keychain as secrets, but not the text of its marker', async () => {
  const quiet = { debug: () => undefined, warn: () => undefined } as unknown as Log
  const redactor = createRedactor()
  const found = [marker, { account: 'file', value: 'key-of-a-local-copy' }]
  const keychain = loggedKeychain(
    {
      get: () => Promise.resolve(succeed(marker.value)),
      set: () => Promise.resolve(succeed(null)),
      findAll: () => Promise.resolve(succeed(found)),
    } as unknown as Keychain,
    quiet,
    redactor,
  )
  await keychain.get(marker.account)
  await keychain.set(marker.account, marker.value)
  await keychain.findAll()
  expect(redactor.redact('process Slipway keychain ended')).toBe('process Slipway keychain ended')
  expect(redactor.redact('read key-of-a-local-copy')).toBe('read •••')
})
