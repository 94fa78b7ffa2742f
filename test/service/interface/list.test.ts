import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deploymentStatuses, deploymentTypes, listQuerySchema, sampleTagValueIds } from '@contract'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import { type ServiceHere, startService } from '../../support/service/service-here'
import {
  creation,
  expectRefused,
  type InvalidBody,
  list,
  listAll,
  type Page,
  post,
  send,
} from '../../support/service/client'

const count = 250
let service: ServiceHere
/** An empty one. */
let odd: ServiceHere
let all: DeploymentAnswer[]

beforeAll(async () => {
  ;[service, odd] = await Promise.all([startService({ mode: 'cloud', sample: count }), startService()])
  all = await listAll(service.url)
})
afterAll(() => Promise.all([service.dispose(), odd.dispose()]))

const names = (deployments: DeploymentAnswer[]): string[] => deployments.map(({ name }) => name)

describe('a page', () => {
  it('has resources and the offset of the next page, by default 20 from the beginning', async () => {
    const page = await list(service.url, { limit: 7, offset: 3 })
    expect(Object.keys(page)).toEqual(['resources', 'offset'])
    expect(page).toEqual({ resources: all.slice(3, 10), offset: 10 })
    expect(await list(service.url)).toEqual({ resources: all.slice(0, 20), offset: 20 })
  })

  it('is short only at the end, where the offset is the number of answered deployments', async () => {
    const last = await list(service.url, { limit: 100, offset: 200 })
    expect(last.resources).toHaveLength(50)
    expect(last.offset).toBe(250)
    const beyond = await list(service.url, { limit: 100, offset: 1_000 })
    expect(beyond).toEqual({ resources: [], offset: 1_000 })
  })
})

describe('paging parameters', () => {
  it.each([
    ['limit=0', 'limit', 'greater_than_equal'],
    ['limit=101', 'limit', 'less_than_equal'],
    ['limit=', 'limit', 'int_parsing'],
    ['limit=1.5', 'limit', 'int_parsing'],
    ['limit=%2B5', 'limit', 'int_parsing'],
    ['offset=-1', 'offset', 'int_parsing'],
    ['offset=99999999999999999999', 'offset', 'less_than_equal'],
    ['deployment_type=huge', 'deployment_type', 'enum'],
    ['remote_reconciled=maybe', 'remote_reconciled', 'bool_parsing'],
    [`deployment_ids=${randomUUID()},x`, 'deployment_ids', 'value_error'],
    ['deployment_ids=,', 'deployment_ids', 'value_error'],
    ['tag_value_ids=x', 'tag_value_ids', 'value_error'],
    ['status=READY&status=UNUSED', 'status', 'string_type', 'only once'],
    ['limit=1&limit=2', 'limit', 'int_parsing', 'only once'],
    ['remote_reconciled=true&remote_reconciled=true', 'remote_reconciled', 'bool_parsing', 'only once'],
  ])('refuses %s with 422', async (query, parameter, type, words = '') => {
    const { status, body } = await send<InvalidBody>(`${service.url}/v2/deployments?${query}`)
    expect(status).toBe(422)
    expect(body.detail).toHaveLength(1)
    expect(body.detail[0]).toMatchObject({ loc: ['query', parameter], type })
    expect(body.detail[0]!.msg).not.toBe('')
    expect(body.detail[0]!.msg).toContain(words)
  })

  it('names every invalid parameter', async () => {
    const { body } = await send<InvalidBody>(`${service.url}/v2/deployments?limit=0&offset=x`)
    expect(body.detail.map(({ loc }) => loc[1])).toEqual(['limit', 'offset'])
  })

  it.each(['limit=1', 'limit=100', 'limit=007', 'offset=0', 'offset=9007199254740990'])(
    'accepts %s',
    async (query) => {
      const { status } = await send(`${service.url}/v2/deployments?${query}`)
      expect(status).toBe(200)
    },
  )

  it('ignores unknown parameters', async () => {
    expect(await list(service.url, { color: 'red', page: 3 })).toEqual(await list(service.url))
  })
})

describe('filters', () => {
  it('that are empty are none', async () => {
    const filters = Object.keys(listQuerySchema.shape).filter((name) => !['limit', 'offset'].includes(name))
    const empty = Object.fromEntries(filters.map((name) => [name, '']))
    expect(await list(service.url, empty)).toEqual(await list(service.url))
  })

  it.each(['%', '_', '*', "' or 1=1 --", '\\', '"'])('treats %s in a name literally', async (text) => {
    expect(await listAll(service.url, { name_contains: text })).toEqual([])
    const name = `odd ${text} name ${randomUUID()}`
    await post(odd.url, creation('internal_source', { name }))
    expect(names(await listAll(odd.url, { name_contains: text }))).toEqual([name])
  })

  it('finds letters of any alphabet', async () => {
    await post(odd.url, creation('internal_source', { name: 'Größe-ÄRZTE-日本' }))
    for (const part of ['größe', 'ärzte', 'ÄRZ', '日']) {
      expect(names(await listAll(odd.url, { name_contains: part }))).toEqual(['Größe-ÄRZTE-日本'])
    }
  })

  it('takes a flag in each of its spellings', async () => {
    for (const [texts, reconciled] of [
      [['true', 'TRUE', '1'], true],
      [['false', 'False', '0'], false],
    ] as const) {
      const wanted = all.filter(({ source_config: { listener_id } }) => (listener_id !== null) === reconciled)
      expect(wanted.length).toBeGreaterThan(0)
      for (const text of texts)
        expect(await listAll(service.url, { remote_reconciled: text })).toEqual(wanted)
    }
  })

  it('finds the deployments that have one of the tag values', async () => {
    const { production, staging } = sampleTagValueIds
    const ids = async (tags: string) =>
      (await listAll(service.url, { tag_value_ids: tags })).map(({ id }) => id)
    const [one, other, both] = await Promise.all([
      ids(production),
      ids(staging),
      ids(`${production},${staging}`),
    ])
    expect(one.length).toBeGreaterThan(0)
    expect(other.length).toBeGreaterThan(0)
    expect(new Set(both)).toEqual(new Set([...one, ...other]))
    expect(both.length).toBeLessThan(count)
    expect(await ids(randomUUID())).toEqual([])
  })

  it('finds the deployments of given identifiers, also in upper case and with blanks', async () => {
    const wanted = [all[3]!, all[140]!]
    const text = ` ${wanted[1]!.id.toUpperCase()} ,, ${wanted[0]!.id},${randomUUID()}`
    expect(names(await listAll(service.url, { deployment_ids: text }))).toEqual(names(wanted))
  })

  it('accepts 500 identifiers, and says what to do about more than fit into a request', async () => {
    const ids = (count: number) => Array.from({ length: count }, () => randomUUID())
    const some = all.slice(0, 60)
    const wanted = [...some.map(({ id }) => id), ...ids(440)]
    expect(names(await listAll(service.url, { deployment_ids: wanted.join() }))).toEqual(names(some))
    await expectRefused(
      send(`${service.url}/v2/deployments?deployment_ids=${ids(1_000).join()}`),
      431,
      'fewer identifiers',
    )
  })

  it('match a simple model for any combination of filters and any page', async () => {
    const optional = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
    const versions = [...new Set(all.map(({ image_version }) => image_version ?? '9.9.9'))]
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          name_contains: optional(['a', 'agent', 'ER-', 'prod', 'zzz', '-', '2']),
          status: optional([...deploymentStatuses, 'OTHER']),
          remote_reconciled: optional(['true', 'false']),
          image_version: optional(versions),
          deployment_type: optional(deploymentTypes),
          deployment_ids: fc.option(
            fc.subarray(all, { minLength: 1, maxLength: 60 }).map((some) => some.map(({ id }) => id).join()),
            { nil: undefined },
          ),
        }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 0, max: 40 }),
        async (filters, limit, offset) => {
          const defined = Object.fromEntries(
            Object.entries(filters).filter(([, value]) => value !== undefined),
          )
          const page: Page = await list(service.url, {
            ...(defined as Record<string, string>),
            limit,
            offset,
          })
          const matching = all.filter((each) => matches(each, filters))
          const expected = matching.slice(offset, offset + limit)
          expect(page.resources).toEqual(expected)
          expect(page.offset).toBe(offset + expected.length)
        },
      ),
    )
  })

  it('find the deployment type and the agent that a creation set', async () => {
    for (const type of deploymentTypes) {
      const config = { deployment_type: type }
      await post(odd.url, creation('internal_source', { name: `type-${type}`, source_config: config }))
    }
    await post(odd.url, creation('internal_source', { name: 'type-none' }))
    for (const type of deploymentTypes) {
      expect(names(await listAll(odd.url, { deployment_type: type }))).toEqual([`type-${type}`])
    }
    const agent = { agent_id: 'writer', environment: 'staging' }
    const { name: _, ...unnamed } = creation()
    const made = await post(odd.url, { ...unnamed, agent, is_preview: true })
    expect(made.body).toMatchObject({ name: 'writer-staging', agent, is_preview: true })
    for (const [filter, value] of [
      ['agent_id', 'writer'],
      ['agent_environment', 'staging'],
      ['is_preview', 'true'],
    ] as const) {
      expect((await list(odd.url, { [filter]: value })).resources).toEqual([made.body])
    }
    expect((await list(odd.url, { agent_id: 'writer', agent_environment: 'prod' })).resources).toEqual([])
  })
})

describe('a single deployment', () => {
  it('is answered as in the list, also by its identifier in upper case', async () => {
    const [, wanted] = all
    for (const id of [wanted!.id, wanted!.id.toUpperCase()]) {
      expect(await send(`${service.url}/v2/deployments/${id}`)).toMatchObject({ status: 200, body: wanted })
    }
  })

  it("is missing only if it isn't there", async () => {
    const id = randomUUID()
    await expectRefused(send(`${service.url}/v2/deployments/${id}`), 404, `Deployment ID ${id} not found.`)
    expect((await send(`${service.url}/v2/deployments/main`)).status).toBe(422)
  })
})

it('answers a path with a slash at its end as without it', async () => {
  for (const path of ['/v2/deployments/?limit=3', `/v2/deployments/${all[0]!.id}/`]) {
    const answer = await fetch(service.url + path, { redirect: 'error' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual(
      await (await fetch(service.url + path.replace(/\/(?=\?|$)/, ''))).json(),
    )
  }
})

it('reports an unknown path', async () => {
  for (const path of ['/', '/v2', `/v2/deployments/${all[0]!.id}/none`, '/v1/deployments', '/%zz']) {
    await expectRefused(send(service.url + path), 404, 'nothing at')
  }
})

interface ModelFilters {
  name_contains?: string
  status?: string
  remote_reconciled?: string
  image_version?: string
  deployment_type?: string
  deployment_ids?: string
}

function matches(deployment: DeploymentAnswer, filters: ModelFilters): boolean {
  const { name_contains, status, remote_reconciled, image_version, deployment_type, deployment_ids } = filters
  const { source_config } = deployment
  return (
    (name_contains === undefined || deployment.name.includes(name_contains.toLowerCase())) &&
    (status === undefined || deployment.status === status) &&
    (remote_reconciled === undefined || String(source_config.listener_id !== null) === remote_reconciled) &&
    (image_version === undefined || deployment.image_version === image_version) &&
    (deployment_type === undefined || source_config.deployment_type === deployment_type) &&
    (deployment_ids === undefined || deployment_ids.split(',').includes(deployment.id))
  )
}
