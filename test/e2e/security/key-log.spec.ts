import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { makeAuthority } from '../../support/main/certificates'
import { call } from '../support/bridge'
import { alone as test, expect } from '../support/fixtures'
import { RecordingService } from '../support/services/recording-service'

test('writes no TLS keys to the file that a variable names, with which others could decrypt traffic', async ({
  start,
  userData,
}) => {
  const authority = await makeAuthority()
  const service = await RecordingService.start(await authority.issue())
  const keys = join(userData, 'tls-keys')
  const { page } = await start({ SSLKEYLOGFILE: keys })
  const checked = await call(page, 'environments.check', {
    id: null,
    name: 'Over TLS',
    baseUrl: `https://localhost:${service.port}`,
    mode: 'cloud',
    colour: 'teal',
    protected: false,
    headers: [],
    integrations: [],
    trust: { kind: 'authority', pem: authority.pem },
  })
  expect(checked).toMatchObject({ ok: true })
  expect(service.arrived).toEqual(['GET /v2/deployments'])
  await expect(access(keys)).rejects.toThrow('ENOENT')
  service.close()
})
