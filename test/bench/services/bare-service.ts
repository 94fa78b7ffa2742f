/**
 * The floor of an HTTP service: node:http that reads the request and answers with a fixed body. Arguments: the files
 * with the bodies for GET and POST. Sends its address to its parent.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [listed, created] = process.argv.slice(2).map((file) => readFileSync(file))
const headers = { 'content-type': 'application/json' }

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, headers).end(listed)
    return
  }
  request.resume().on('end', () => response.writeHead(201, headers).end(created))
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.on('disconnect', () => process.exit(0))
