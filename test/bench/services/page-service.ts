/**
 * A deployment service that answers from memory, in a separate process, so that it shares no event loop with its
 * client. Argument: the number of deployments. Sends its address to its parent, which sends the delay of each answer.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BenchDeployments } from '../data/deployments'

const deployments = new BenchDeployments(Number(process.argv[2]))
let delayMs = 0

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://bench')
  const ids = searchParams.get('deployment_ids')
  const limit = Number(searchParams.get('limit') ?? 20)
  const body = ids
    ? deployments.byIds(new Set(ids.split(',')))
    : deployments.page(Number(searchParams.get('offset') ?? 0), limit)
  const answer = (): void => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  }
  if (delayMs > 0) setTimeout(answer, delayMs)
  else answer()
})

server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.on('message', (message: { delayMs: number }) => {
  ;({ delayMs } = message)
  process.send?.({ delayMs })
})
process.on('disconnect', () => process.exit(0))
