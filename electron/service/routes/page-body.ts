import { setImmediate as nextTurn } from 'node:timers/promises'
import { mostBytesAtOnce } from '../database/deployments'

/** An item of a page. */
interface PageItem {
  /** How many bytes have to be read for its document. */
  bytes: number
  /** Its document (JSON text); null if that is too large to be read together with the whole page. */
  document: string | null
}

/**
 * The body of a page: a text, or a stream if its items are large. A stream reads further items only once the client has
 * taken the earlier ones, and lets other requests run in between. So a page of 100 MB takes only a few MB of memory.
 *
 * @param read gives the documents (JSON texts) of items, except those that are gone by now
 */
export function pageBody<Item extends PageItem>(
  found: readonly Item[],
  read: (batch: readonly Item[]) => Promise<string[]>,
  nextOffset: number,
): string | ReadableStream<Uint8Array> {
  // An ordinary page was read together with its documents.
  const documents = found.map(({ document }) => document)
  if (!documents.includes(null)) return `{"resources":[${documents.join()}],"offset":${nextOffset}}`
  return streamOf(piecesOf(inBatches(found), read, nextOffset))
}

async function* piecesOf<Item>(
  batches: readonly Item[][],
  read: (batch: readonly Item[]) => Promise<string[]>,
  nextOffset: number,
): AsyncGenerator<string, void> {
  yield '{"resources":['
  let isFirst = true
  for (const batch of batches) {
    const documents = await read(batch)
    if (documents.length === 0) continue
    yield (isFirst ? '' : ',') + documents.join()
    isFirst = false
  }
  yield `],"offset":${nextOffset}}`
}

/** Splits items into batches that can each be read at once. */
function inBatches<Item extends PageItem>(found: readonly Item[]): Item[][] {
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

function streamOf(pieces: AsyncIterator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      async pull(controller) {
        await nextTurn()
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
    },
    // Nothing is read ahead.
    { highWaterMark: 0 },
  )
}
