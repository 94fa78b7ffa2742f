import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { call } from '../../support/bridge'
import { expect, test } from '../../support/fixtures'
import { anyDeployment, json, listOf, StubService, useEnvironment } from '../../support/services/stub-service'

/** Where the connection of a change breaks: after this many bytes of its request, or of the answer. */
interface Cut {
  of: 'request' | 'answer'
  after: number
}

const everything = 1_000_000
const cuts: Cut[] = [
  ...[0, 1, 60, 200, 350, 500, everything].map((after): Cut => ({ of: 'request', after })),
  ...[0, 1, 12, 40, 90, 130, everything].map((after): Cut => ({ of: 'answer', after })),
]

/** A network that breaks the connections of changes, each by the deployment that its path names. */
async function breakingNetwork(port: number) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1')
    let cut: Cut | null = null
    const passed = { request: 0, answer: 0 }
    const pass = (of: Cut['of'], part: Buffer, to: Socket): void => {
      const isCut = cut?.of === of && passed[of] + part.length >= cut.after && cut.after < everything
      const left = isCut ? part.subarray(0, cut!.after - passed[of]) : part
      passed[of] += part.length
      to.write(left, () => {
        const isWhole = of === 'answer' && cut?.of === 'request' && cut.after === everything
        if (!isCut && !isWhole) return
        client.destroy()
        service.destroy()
      })
    }
    client.on('data', (part: Buffer) => {
      const place = /^PATCH \S+-(\d{12}) /.exec(part.toString('latin1'))?.[1]
      if (place !== undefined) cut = cuts[Number(place)] ?? null
      pass('request', part, service)
    })
    service.on('data', (part: Buffer) => {
      // All of the request has arrived, and none of the answer comes back.
      if (cut?.of === 'request' && cut.after === everything) return void client.destroy()
      pass('answer', part, client)
    })
    for (const socket of [client, service]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        service.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

test('a change whose connection breaks anywhere is sent once, and told as the service has it', async ({
  page,
}) => {
  const deployments = cuts.map((_, place) => ({ ...anyDeployment(place), latest_revision_id: 'r1' }))
  const made = new Map<string, number>()
  const good = { responses: { 200: {} } }
  const paths = {
    '/v2/deployments/{id}': { patch: good },
    '/v2/deployments/{id}/revisions': { get: good },
  }
  const stub = await StubService.start((query, response, headers) => {
    const { method, url = '' } = response.req
    const id = /\/v2\/deployments\/([^/?]+)/.exec(url)?.[1] ?? ''
    if (method === 'PATCH') {
      let body = ''
      response.req.on('data', (part) => (body += String(part)))
      response.req.on('end', () => {
        if (!response.req.complete || !body.includes('next')) return
        made.set(id, (made.get(id) ?? 0) + 1)
        json({ id, name: 'changed', status: 'READY' })(query, response, headers)
      })
      return
    }
    if (url.startsWith('/openapi.json')) return json({ paths })(query, response, headers)
    if (url.includes('/revisions')) {
      const configs = made.has(id) ? ['next', 'main'] : ['main']
      const resources = configs.map((repo_ref) => ({
        id: repo_ref === 'main' ? 'r1' : 'r2',
        status: 'DEPLOYED',
        source_revision_config: { repo_ref },
      }))
      return json({ resources, offset: 9 })(query, response, headers)
    }
    listOf(() => deployments)(query, response, headers)
  })
  const network = await breakingNetwork(Number(new URL(stub.baseUrl).port))
  try {
    const { id: environmentId } = await useEnvironment(page, { name: 'Breaking', baseUrl: network.baseUrl })
    const change = { kind: 'revision', config: { repo_ref: 'next' } } as const
    const told = await Promise.all(
      deployments.map(async (deployment) => {
        const place = { environmentId, id: String((deployment as { id?: unknown }).id) }
        const review = await call(page, 'life.review', { ...place, change })
        if (!review.ok) throw new Error(review.failure.message)
        const { seen } = review.value
        const input = { ...place, change, seen, confirmedName: null, deploymentName: null }
        const outcome = await call(page, 'life.change', input)
        return outcome.ok ? outcome.value.state : outcome.failure.sent
      }),
    )
    for (const [place, state] of told.entries()) {
      const times = made.get(String((deployments[place] as { id?: unknown }).id)) ?? 0
      const { of, after } = cuts[place]!
      // Told as made exactly if it was; else unconfirmed, or certainly not sent.
      expect(times, `${of} ${after}`).toBe(state === 'done' ? 1 : 0)
    }
    expect(told.filter((state) => state === 'done').length).toBeGreaterThanOrEqual(cuts.length / 2)
  } finally {
    await network.close()
    await stub.close()
  }
})
