import { setTimeout as pause } from 'node:timers/promises'
import { z } from '@hono/zod-openapi'
import { mostRepositories } from '../../api/known-repository'
import { Refusal } from '../../base/refusal'

/** Entries of a page: the API's maximum. */
const pageSize = 100

/** The limits of a list: its pages, a page's size in bytes, and a page's time in milliseconds. */
const mostPages = mostRepositories / pageSize
const longestPage = 16 * 1024 * 1024
const timeLimit = 30_000

/** How often a page is requested if it fails, and how many redirects are followed. */
const mostTries = 3
const mostRedirects = 5

/** How long to wait for the end of a rate limit, in milliseconds, and how long if the API doesn't say when it ends. */
const longestWait = 120_000
const usualWait = 60_000

/**
 * The furthest end of a rate limit that is reported, in milliseconds: a year. Later ones may exceed the range of dates.
 */
const farthestEnd = 31_536_000_000

/** The API's address and credentials. */
export interface GithubAccess {
  /** Without a slash at the end, such as https://api.github.com. */
  apiUrl: string
  token: string | null
}

/** A page as it was last read. */
interface Page {
  etag: string | null
  entries: unknown
  next: string | null
}

/** Reads lists from GitHub's REST API, one request after the other, as its documentation asks. */
export interface GithubClient {
  /** All entries of a list; null if it doesn't exist, or the token doesn't give access to it. */
  list<Schema extends z.ZodType>(path: string, entry: Schema): Promise<z.infer<Schema>[] | null>
}

/** The pages that were read, by URL. An unchanged answer doesn't count towards the API's rate limit. */
export type KnownPages = Map<string, Page>

/** @param known the pages of an earlier import */
export function createGithubClient({ apiUrl, token }: GithubAccess, known: KnownPages): GithubClient {
  const { origin } = new URL(apiUrl)
  const headers = {
    accept: 'application/vnd.github+json',
    'user-agent': 'slipway-service',
    'x-github-api-version': '2022-11-28',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  }

  /** A page; null for a 404. */
  async function getPage(url: string): Promise<Page | null> {
    let at = url
    let redirects = 0
    for (let tries = 1; ;) {
      const outcome = await ask(at, known.get(url)?.etag ?? null)
      switch (outcome.state) {
        case 'page':
          known.set(url, outcome.page)
          return outcome.page
        case 'unchanged': {
          const page = known.get(url)
          if (page === undefined)
            throw failure("says that nothing has changed (304), but wasn't asked for that")
          return page
        }
        case 'missing':
          return null
        case 'elsewhere':
          redirects += 1
          if (redirects > mostRedirects) throw failure(`leads in circles`)
          at = sameOrigin(outcome.location, at)
          break
        case 'limited':
        case 'failed':
          if (tries === mostTries || outcome.wait > longestWait) throw failure(outcome.reason)
          tries += 1
          await pause(outcome.wait)
      }
    }
  }

  async function ask(url: string, etag: string | null): Promise<Outcome> {
    const signal = AbortSignal.timeout(timeLimit)
    try {
      const answer = await fetch(url, {
        headers: etag === null ? headers : { ...headers, 'if-none-match': etag },
        redirect: 'manual',
        signal,
      })
      const text = await readText(answer)
      return outcomeOf(answer, text)
    } catch (error) {
      if (error instanceof Refusal) throw error
      // The error's message may contain headers.
      const code = (error as { cause?: { code?: unknown } }).cause?.code
      const reason = signal.aborted ? `didn't answer within ${timeLimit / 1_000} s` : "can't be reached"
      return {
        state: 'failed',
        wait: 1_000,
        reason: typeof code === 'string' ? `${reason} (${code})` : reason,
      }
    }
  }

  /** The whole body of an answer. */
  async function readText(answer: Response): Promise<string> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes > longestPage) throw failure('sent a page that is larger than 16 MiB')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  }

  function outcomeOf(answer: Response, text: string): Outcome {
    const { status } = answer
    if (status === 304) return { state: 'unchanged' }
    if (status === 404) return { state: 'missing' }
    if (status === 401) throw failure('refuses the token')
    const location = answer.headers.get('location')
    if (status >= 300 && status < 400 && location !== null) return { state: 'elsewhere', location }
    const wait = waitOf(answer)
    if (wait !== null) {
      const end = new Date(Date.now() + wait).toISOString()
      return { state: 'limited', wait, reason: `takes no more requests until ${end}` }
    }
    if (status >= 500) return { state: 'failed', wait: 1_000, reason: `answered ${status}` }
    if (status === 403) throw failure("doesn't allow it (403): the token may lack a permission")
    if (status !== 200) throw failure(`answered ${status}`)
    const entries = parse(text)
    const next = nextOf(answer.headers.get('link'))
    return { state: 'page', page: { etag: answer.headers.get('etag'), entries, next } }
  }

  function parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw failure("didn't answer JSON")
    }
  }

  /** A URL from the API, on the same origin: the token is sent nowhere else. */
  function sameOrigin(address: string, base: string): string {
    const url = urlOf(address, base)
    if (url?.origin !== origin) throw failure('leads to another host, which is not followed')
    return url.href
  }

  const failure = (what: string): Refusal => new Refusal(`${apiUrl} ${what}. Nothing was imported.`)

  return {
    async list(path, entry) {
      const schema = z.array(entry).max(pageSize)
      const entries: z.infer<typeof entry>[] = []
      const separator = path.includes('?') ? '&' : '?'
      let url: string | null = `${apiUrl}${path}${separator}per_page=${pageSize}`
      for (let pages = 1; url !== null; pages += 1) {
        if (pages > mostPages) throw failure(`has more than ${mostPages} pages`)
        const page: Page | null = await getPage(url)
        if (page === null) return null
        const { success, data } = schema.safeParse(page.entries)
        if (!success) throw failure("didn't answer what GitHub's documentation says")
        entries.push(...data)
        url = page.next === null ? null : sameOrigin(page.next, url)
      }
      return entries
    },
  }
}

function urlOf(address: string, base: string): URL | null {
  try {
    return new URL(address, base)
  } catch {
    return null
  }
}

/** The outcome of one request. */
type Outcome =
  | { state: 'page'; page: Page }
  | { state: 'unchanged' | 'missing' }
  | { state: 'elsewhere'; location: string }
  | { state: 'limited' | 'failed'; wait: number; reason: string }

/** How long to wait until a rate limit ends, in milliseconds; null if there is none. */
function waitOf({ status, headers }: Response): number | null {
  const isLimited =
    status === 429 ||
    (status === 403 && (headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0'))
  if (!isLimited) return null
  const seconds = Number(headers.get('retry-after') ?? NaN)
  if (Number.isFinite(seconds)) return Math.min(Math.max(0, seconds) * 1_000, farthestEnd)
  const end = Number(headers.get('x-ratelimit-reset') ?? NaN) * 1_000
  const isSpent = headers.get('x-ratelimit-remaining') === '0'
  return isSpent && Number.isFinite(end) ? Math.min(Math.max(0, end - Date.now()), farthestEnd) : usualWait
}

/** The URL of the next page in a Link header. */
function nextOf(link: string | null): string | null {
  return /<([^<>]+)>\s*;\s*rel="next"/.exec(link ?? '')?.[1] ?? null
}
