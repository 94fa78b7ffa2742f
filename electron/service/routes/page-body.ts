import { ReadableStream } from 'node:stream/web'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { mostBytesAtOnce } from '../database/deployments'

/**
 * The body of a page: a text, or a stream if its items are large. A stream reads further items only once the client has
 * taken the earlier ones, and lets other requests run in between. So a page of 100 MB takes only a few MB of memory.
 *
 * @param found the items, each with the bytes that have to be read for its document
 * @param read gives the documents (JSON texts) of items, except those that are gone by now
 */
export async function pageBody<Item extends { bytes: number }>(
  found: readonly Item[],
  read: (batch: readonly Item[]) => Promise<string[]>,
  nextOffset: number,
): Promise<string | ReadableStream<Uint8Array>> {
  const [first = [], ...rest] = inBatches(found)
  const documents = await read(first)
  const start = `{"resources":[${documents.join()}`
  const end = `],"offset":${nextOffset}}`
  if (rest.length === 0) return start + end

  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    const encoder = new TextEncoder()
    yield encoder.encode(start)
    let isFirst = documents.length === 0
    for (const batch of rest) {
      await nextTurn()
      const more = await read(batch)
      if (more.length === 0) continue
      yield encoder.encode((isFirst ? '' : ',') + more.join())
      isFirst = false
    }
    yield encoder.encode(end)
  }
  return ReadableStream.from(pieces())
}

/** Splits items into batches that can each be read at once. */
function inBatches<Item extends { bytes: number }>(found: readonly Item[]): Item[][] {
  const batches: Item[][] = []
  let bytes = 0
  for (const each of found) {
    const last = batches.at(-1)
    bytes += each.bytes
    if (last && bytes <= mostBytesAtOnce) last.push(each)
    else {
      batches.push([each])
      bytes = each.bytes
    }
  }
  return batches
}
