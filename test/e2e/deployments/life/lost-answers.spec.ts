import { call } from '../../support/bridge'
import { expect, test } from '../../support/fixtures'
import { breakingNetwork, type Cut, everything } from '../../../support/services/breaking-network'
import { anyDeployment, json, listOf, StubService, useEnvironment } from '../../support/services/stub-service'

const places = (step: number): number[] => [1, ...Array.from({ length: 9 }, (_, at) => at * step), everything]
const cuts: Cut[] = [
  ...places(60).map((after): Cut => ({ of: 'request', after })),
  ...places(24).map((after): Cut => ({ of: 'answer', after })),
]
/** Each is tried with a new revision (PATCH) and with a roll back (POST). */
const changes = [
  { kind: 'revision', config: { repo_ref: 'next' } },
  { kind: 'roll-back', revisionId: 'r0' },
] as const
const cases = changes.flatMap((change) => cuts.map((cut) => ({ change, cut })))

test('a change whose connection breaks anywhere is sent once, and told as the service has it', async ({
  page,
}) => {
  const deployments = cases.map((_, place) => ({ ...anyDeployment(place), latest_revision_id: 'r1' }))
  /** The refs of the revisions that were made of each. */
  const made = new Map<string, string[]>()
  const good = { responses: { 200: {} } }
  const paths = {
    '/v2/deployments/{id}': { patch: good },
    '/v2/deployments/{id}/revisions': { get: good },
    '/v2/deployments/{id}/revisions/{revision_id}/redeploy': { post: good },
  }
  const stub = await StubService.start((query, response, headers) => {
    const { method, url = '' } = response.req
    const id = /\/v2\/deployments\/([^/?]+)/.exec(url)?.[1] ?? ''
    if (method === 'PATCH' || method === 'POST') {
      let body = ''
      response.req.on('data', (part) => (body += String(part)))
      response.req.on('end', () => {
        if (!response.req.complete || (method === 'PATCH' && !body.includes('next'))) return
        made.set(id, [...(made.get(id) ?? []), method === 'PATCH' ? 'next' : 'old'])
        json({ id, name: 'changed', status: 'READY' })(query, response, headers)
      })
      return
    }
    if (url.startsWith('/openapi.json')) return json({ paths })(query, response, headers)
    if (url.includes('/revisions')) {
      const refs = [...(made.get(id) ?? []), 'main', 'old']
      const resources = refs.map((repo_ref, index) => ({
        id: `r${refs.length - 1 - index}`,
        status: 'DEPLOYED',
        source_revision_config: { repo_ref },
      }))
      return json({ resources, offset: 9 })(query, response, headers)
    }
    listOf(() => deployments)(query, response, headers)
  })
  const network = await breakingNetwork(
    Number(new URL(stub.baseUrl).port),
    cases.map(({ cut }) => cut),
  )
  try {
    const { id: environmentId } = await useEnvironment(page, { name: 'Breaking', baseUrl: network.baseUrl })
    const ids = deployments.map((deployment) => String((deployment as { id?: unknown }).id))
    const told = await Promise.all(
      cases.map(async ({ change }, number) => {
        const place = { environmentId, id: ids[number]! }
        const review = await call(page, 'life.review', { ...place, change })
        if (!review.ok) throw new Error(review.failure.message)
        const { seen } = review.value
        const input = { ...place, change, seen, confirmedName: null, deploymentName: null }
        const outcome = await call(page, 'life.change', input)
        return outcome.ok ? outcome.value.state : outcome.failure.sent
      }),
    )
    for (const [place, state] of told.entries()) {
      const times = made.get(ids[place]!)?.length ?? 0
      const { change, cut } = cases[place]!
      // Told as made exactly if it was; else unconfirmed, or certainly not sent.
      expect(times, `${change.kind}, ${cut.of} ${cut.after}`).toBe(state === 'done' ? 1 : 0)
    }
    expect(told.filter((state) => state === 'done').length).toBeGreaterThanOrEqual(cases.length / 2)
  } finally {
    await network.close()
    await stub.close()
  }
})
