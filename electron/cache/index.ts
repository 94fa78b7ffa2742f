import { cacheCallSchema } from '@contract/cache'
import { createRequestHandler, reply } from './request-handler'

/**
 * The cache process: one encrypted SQLite file an environment. Only the main process talks to it, over the port that
 * it was started with; requests are answered in the order in which they come.
 */
const port = process.parentPort
const handler = createRequestHandler(() => new Promise((resolve) => setImmediate(resolve)))

// Nobody else on the machine reads what is cached, whatever SQLite creates.
process.umask(0o077)

// Past a limit on the size of files this signal would end the process; ignored, the write fails like on a full disk.
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
