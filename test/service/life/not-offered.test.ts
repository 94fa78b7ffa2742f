import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServiceHere, startService } from '../../support/service/service-here'
import { type ErrorBody, send } from '../client'
import { ask, create } from './requests'

let service: ServiceHere
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.dispose())

it('a push token is refused with a message that says what to do, or what is wrong with the deployment', async () => {
  const tokenFor = async (id: string) => {
    const { status, body } = await ask<ErrorBody>(service.url, 'POST', `${id}/push-token`)
    return [status, body.detail]
  }
  const id = randomUUID()
  expect(await tokenFor(id)).toEqual([404, `Deployment ID ${id} not found.`])
  expect(await tokenFor((await create(service.url)).id)).toEqual([
    400,
    "A push token is only available for 'internal_docker' source deployments.",
  ])
  expect(await tokenFor((await create(service.url, 'internal_docker')).id)).toEqual([
    501,
    expect.stringContaining('source_revision_config.image_uri'),
  ])
})

it.each([
  ['GET', '/v2/deployments/free-count', 'no plans'],
  ['GET', '/v2/listeners', 'no listeners'],
  ['POST', '/v2/listeners', 'no listeners'],
  ['GET', `/v2/listeners/${randomUUID()}`, 'no listeners'],
  ['PATCH', '/v2/listeners/any', 'no listeners'],
  ['DELETE', `/v2/listeners/${randomUUID()}`, 'no listeners'],
  ['GET', '/v1/integrations/forge/repohost/install', 'repositories import'],
])('%s %s is not offered', async (method, path, words) => {
  const { status, body } = await send<ErrorBody>(service.url + path, { method })
  expect([status, body.detail]).toEqual([501, expect.stringContaining(words)])
})
