import { Session, type Profiler } from 'node:inspector'

/*
 * Coverage-guided fuzzing: inputs derive from earlier ones, and an input that reaches a new branch becomes a source
 * of others. V8 counts the branches. The same seed gives the same inputs on every machine.
 */

/** Code that accepts bytes from outside. */
export interface Target {
  name: string
  /** The first inputs: usual ones, and those that once broke it. */
  seeds: readonly (string | Uint8Array)[]
  /** Further pieces for inputs. */
  words?: readonly string[]
  /** Loads the code after coverage has started. Returns a function that throws if a promise is broken. */
  load: () => Promise<(bytes: Buffer) => void>
}

export interface Findings {
  executions: number
  /** Branches of the project's own code that were reached, by how often (once, a few times, often). */
  reached: number
  /** Inputs that reached something new. */
  added: number
}

/** An input that broke a promise, ready to be added to its target's seeds. */
class Broken extends Error {
  constructor(target: string, input: Buffer, cause: unknown) {
    const shown = JSON.stringify(input.toString('latin1').slice(0, 300))
    super(
      `${target}: ${String(cause)}\nbase64: ${input.toString('base64').slice(0, 4_000)}\nlatin1: ${shown}`,
      {
        cause,
      },
    )
  }
}

/** The longest time for an input in milliseconds: per kilobyte, and the minimum. Freezing is harmful too. */
const longestMs = { each: 40, min: 250 }
const longestInput = 20_000
const batch = 50

let session: Session | null = null

/** Starts coverage. Call it before the tested code is loaded, because compiled code has no counters. */
export function startCoverage(): void {
  session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
}

export function stopCoverage(): void {
  session?.disconnect()
  session = null
}

/** The branches of the project that were reached since the last call. */
function reachedBranches(): string[] {
  if (!session) throw new Error('Coverage is not counted.')
  let result: Profiler.ScriptCoverage[] = []
  // In the same thread, the answer is available when this returns.
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error) throw error
    result = answer.result
  })
  return result
    .filter(({ url }) => /\/(?:electron|src)\//.test(url) && !url.includes('/node_modules/'))
    .flatMap(({ url, functions }) =>
      functions.flatMap(({ ranges }) =>
        ranges
          .filter(({ count }) => count > 0)
          .map(({ startOffset, endOffset, count }) => `${url}:${startOffset}:${endOffset}:${often(count)}`),
      ),
    )
}

const often = (count: number): number => (count === 1 ? 1 : count < 8 ? 2 : count < 64 ? 3 : 4)

/** Runs a target with this many inputs. Throws `Broken` at the first one that breaks a promise. */
export async function fuzz(target: Target, executions: number, seed: number): Promise<Findings> {
  const run = await target.load()
  const random = mulberry(seed)
  const corpus: Buffer[] = []
  const reached = new Set<string>()
  const words = (target.words ?? []).map((word) => Buffer.from(word))

  const tryOne = (input: Buffer): void => {
    try {
      const limit = Math.max(longestMs.min, (longestMs.each * input.length) / 1_000)
      // Compilation and garbage collection count as well, but not three times in a row.
      if ([1, 2, 3].every(() => took(run, input) > limit))
        throw new Error(`It takes longer than ${limit} ms.`)
    } catch (error) {
      throw new Broken(target.name, input, error)
    }
  }

  /** Whether a branch was reached for the first time. It is then known. */
  const isNew = (): boolean => {
    const before = reached.size
    for (const branch of reachedBranches()) reached.add(branch)
    return reached.size > before
  }

  reachedBranches()
  for (const one of target.seeds) {
    const input = Buffer.from(one)
    tryOne(input)
    corpus.push(input)
  }
  isNew()
  let tried = target.seeds.length
  while (tried < executions) {
    const inputs = Array.from({ length: Math.min(batch, executions - tried) }, () =>
      mutated(corpus, words, random),
    )
    for (const input of inputs) tryOne(input)
    tried += inputs.length
    const known = new Set(reached)
    if (!isNew()) continue
    // Running them again one by one shows which of them it was.
    reached.clear()
    for (const branch of known) reached.add(branch)
    for (const input of inputs) {
      tryOne(input)
      if (isNew()) corpus.push(input)
    }
  }
  return { executions: tried, reached: reached.size, added: corpus.length - target.seeds.length }
}

/** The processor time of an input in milliseconds, however busy the machine is. */
function took(run: (bytes: Buffer) => void, input: Buffer): number {
  const began = process.cpuUsage()
  run(Buffer.from(input))
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1_000
}

/** Numbers from 0 up to 1 (mulberry32), the same for the same seed. */
function mulberry(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const oddBytes = [
  0, 1, 9, 10, 13, 0x1b, 0x20, 0x22, 0x2d, 0x5b, 0x5c, 0x7b, 0x7f, 0x80, 0x84, 0xc0, 0xe2, 0xff,
]

function mutated(corpus: readonly Buffer[], words: readonly Buffer[], random: () => number): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit)
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!
  let input = Buffer.from(oneOf(corpus))
  /** The input with another piece in place of `length` bytes. */
  const replaced = (at: number, length: number, piece: Uint8Array): Buffer<ArrayBuffer> =>
    Buffer.concat([input.subarray(0, at), piece, input.subarray(at + length)])

  for (let times = 1 + below(4); times > 0; times -= 1) {
    const at = below(input.length + 1)
    const length = Math.min(1 + below(random() < 0.5 ? 4 : 64), input.length - at)
    switch (below(words.length > 0 ? 9 : 8)) {
      case 0:
        if (at < input.length) input[at]! ^= 1 << below(8)
        break
      case 1:
        if (at < input.length) input[at] = oneOf(oddBytes)
        break
      case 2:
        if (at < input.length) input[at] = below(256)
        break
      case 3:
        input = replaced(at, length, Buffer.alloc(0))
        break
      case 4:
        input = replaced(at, 0, Buffer.of(oneOf(oddBytes)))
        break
      case 5: {
        // Repeated many times, to find code that recurses or scans to the end.
        const piece = input.subarray(at, at + length)
        const copies = random() < 0.1 ? below(400) : 1 + below(4)
        input = replaced(at, 0, Buffer.concat(Array.from({ length: copies }, () => piece)))
        break
      }
      case 6: {
        const other = oneOf(corpus)
        const from = below(other.length + 1)
        input = replaced(at, length, other.subarray(from, from + 1 + below(200)))
        break
      }
      case 7:
        input = random() < 0.2 ? input.subarray(0, at) : input
        break
      default:
        input = replaced(at, random() < 0.5 ? 0 : length, oneOf(words))
    }
    if (input.length > longestInput) input = input.subarray(0, longestInput)
  }
  return input
}
