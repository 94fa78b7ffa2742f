import { setImmediate as nextTurn } from 'node:timers/promises'
import { type FoundDeployment, mostBytesAtOnce, type Store } from '../database/store'

/**
 * The body of a page: a text, or a stream if the deployments are large. A stream reads the next ones only once the
 * client has taken what was sent, and lets other requests pass in between. So a page of 100 MB needs a few of them.
 */
export function pageBody(
  deployments: Pick<Store['deployments'], 'documents'>,
  found: readonly FoundDeployment[],
  now: string,
  nextOffset: number,
): string | ReadableStream<Uint8Array> {
  // The documents of an ordinary page were read with it.
  const documents = found.map(({ document }) => document)
  if (!documents.includes(null)) return `{"resources":[${documents.join()}],"offset":${nextOffset}}`
  const read = async (batch: FoundDeployment[]): Promise<string> =>
    (await deployments.documents(batch, now)).join()
  const pieces = piecesOf(inBatches(found), read, nextOffset)
  return streamOf(pieces)
}

async function* piecesOf(
  batches: readonly FoundDeployment[][],
  read: (batch: FoundDeployment[]) => Promise<string>,
  nextOffset: number,
): AsyncGenerator<string, void> {
  yield '{"resources":['
  for (const [index, batch] of batches.entries()) yield (index === 0 ? '' : ',') + (await read(batch))
  yield `],"offset":${nextOffset}}`
}

/** Splits deployments into batches, each as large as may be read at once. */
function inBatches(found: readonly FoundDeployment[]): FoundDeployment[][] {
  const batches: FoundDeployment[][] = []
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
