import { cacheCallSchema } from '@contract/cache'
import { createRequestHandler, reply } from './request-handler'

/**
 * The cache process: one encrypted SQLite file for each environment. Only the main process talks to it, over the port
 * that it was started with. Requests are answered in order.
 */
const port = process.parentPort
const handler = createRequestHandler(() => new Promise((resolve) => setImmediate(resolve)))

// No other user of the machine may read the cache, whatever files SQLite creates.
process.umask(0o077)

// Without this, a limit on the size of files would end the process. Now the write fails as on a full disk.
process.on('SIGXFSZ', () => undefined)

port.on('message', ({ data }: { data: unknown }) => {
  const call = cacheCallSchema.safeParse(data)
  if (!call.success) {
    const id = typeof data === 'object' && data !== null && 'id' in data ? Number(data.id) : 0
    const { message } = call.error
    port.postMessage(reply(id, { ok: false, code: 'invalid-request', message, setAside: null }))
    return
  }
  const { id, request } = call.data
  void handler.answer(request).then((answer) => port.postMessage(reply(id, answer)))
})
