import { type Duplex, pipeline, Readable } from 'node:stream'
import { arrayBuffer } from 'node:stream/consumers'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { MiddlewareHandler } from 'hono'
import { accepts } from 'hono/accepts'

/** The smallest answer that is compressed, in bytes. What fits into one packet gains nothing. */
const smallest = 1_400

/**
 * Fast rather than small, because the network is the bottleneck and not the processor. Brotli's usual window takes 4
 * MiB for each client that reads slowly, and compresses pages hardly better than one of 256 KiB.
 */
const compressors: Readonly<Record<string, () => Duplex>> = {
  br: () =>
    createBrotliCompress({
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
    }),
  gzip: () => createGzip({ level: 4 }),
}

declare module 'hono' {
  interface ContextVariableMap {
    /** The text of a large answer that is always the same. There are few of them. */
    unchanging: string
  }
}

/** The compressed forms of unchanging texts, by text and then by encoding. */
const compressedTexts = new Map<string, Map<string, Promise<ArrayBuffer>>>()

/** Compresses an unchanging text once. */
function compressOnce(encoding: string, text: string, compress: () => Duplex): Promise<ArrayBuffer> {
  const forms = compressedTexts.get(text) ?? new Map<string, Promise<ArrayBuffer>>()
  compressedTexts.set(text, forms)
  const form = forms.get(encoding) ?? arrayBuffer(compress().end(text))
  forms.set(encoding, form)
  return form
}

/** Compresses large answers while they are written, for clients that accept it. */
export const compressLarge: MiddlewareHandler = async (context, next) => {
  await next()
  const answer = context.res
  if (answer.body === null || context.req.method === 'HEAD') return
  context.header('Vary', 'Accept-Encoding', { append: true })
  const encoding = accepts(context, {
    header: 'Accept-Encoding',
    supports: Object.keys(compressors),
    default: 'identity',
    match: (accepted, { supports, default: none }) => {
      const weightOf = (name: string): number =>
        (accepted.find(({ type }) => type === name) ?? accepted.find(({ type }) => type === '*'))?.q ?? 0
      const weight = Math.max(...supports.map(weightOf))
      return weight > 0 ? supports.find((name) => weightOf(name) === weight)! : none
    },
  })
  const compress = compressors[encoding]
  if (compress === undefined) return
  const unchanging = context.get('unchanging') as string | undefined
  if (unchanging !== undefined) {
    const headers = new Headers(context.res.headers)
    headers.set('Content-Encoding', encoding)
    const form = await compressOnce(encoding, unchanging, compress)
    context.res = undefined
    context.res = new Response(form, { status: answer.status, headers })
    return
  }
  const reader = answer.body.getReader()
  const { chunks, isWhole } = await readSome(reader)
  const headers = new Headers(context.res.headers)
  const init = { status: answer.status, headers }
  context.res = undefined
  if (isWhole) {
    context.res = new Response(Buffer.concat(chunks), init)
    return
  }
  headers.set('Content-Encoding', encoding)
  headers.delete('Content-Length')
  // If it fails, the reader of the compressed stream sees it end.
  const compressed = pipeline(Readable.from(continued(chunks, reader)), compress(), () => undefined)
  context.res = new Response(Readable.toWeb(compressed) as ReadableStream, init)
}

/** Reads a body until it is large enough to be compressed, or ends. */
async function readSome(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ chunks: Uint8Array[]; isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  for (let bytes = 0; bytes < smallest;) {
    const { done, value } = await reader.read()
    if (done) return { chunks, isWhole: true }
    chunks.push(value)
    bytes += value.byteLength
  }
  return { chunks, isWhole: false }
}

/** The chunks that were read, followed by the rest. */
async function* continued(
  chunks: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* chunks
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // The client is gone.
    await reader.cancel().catch(() => undefined)
  }
}
