import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Awaitable, mostBytesAtOnce } from '../database/store'

/** Something of a page. */
interface PageItem {
  /** The bytes that have to be read for its document. */
  bytes: number
  /** Its document (JSON text); null if that is too large for all of the page to be read at once. */
  document: string | null
}

/**
 * The body of a page: a text, or a stream if its items are large. A stream reads the next ones only once the client has
 * taken what was sent, and lets other requests pass in between. So a page of 100 MB needs a few of them.
 *
 * @param read gives the documents (JSON texts) of items, but for those that are gone meanwhile
 */
export function pageBody<Item extends PageItem>(
  found: readonly Item[],
  read: (batch: readonly Item[]) => Awaitable<string[]>,
  nextOffset: number,
): string | ReadableStream<Uint8Array> {
  // The documents of an ordinary page were read with it.
  const documents = found.map(({ document }) => document)
  if (!documents.includes(null)) return `{"resources":[${documents.join()}],"offset":${nextOffset}}`
  return streamOf(piecesOf(inBatches(found), read, nextOffset))
}

async function* piecesOf<Item>(
  batches: readonly Item[][],
  read: (batch: readonly Item[]) => Awaitable<string[]>,
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

/** Splits items into batches, each as large as may be read at once. */
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
