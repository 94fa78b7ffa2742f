import { setTimeout as pause } from 'node:timers/promises'
import { z } from '@hono/zod-openapi'
import { importedRepositorySchema, mostRepositories, plainText, type Refs } from '../api/schemas'
import { Refusal } from '../base/failures'
import { integrationOf, notPlain, type ReadRepositories } from './read-repositories'

/** Entries of a page: the API's maximum. */
const pageSize = 100

/** The limits of a list: its pages, a page's size in bytes, and a page's time in milliseconds. */
const mostPages = mostRepositories / pageSize
const longestPage = 16 * 1024 * 1024
const timeLimit = 30_000

/** How often a page is requested if it fails. */
const mostTries = 3

/** How long to wait for the end of a rate limit, in milliseconds, and how long if the API doesn't say when it ends. */
const longestWait = 120_000
const usualWait = 60_000

/** The furthest end of a rate limit that is told, in milliseconds: a year. Later ones may exceed the range of dates. */
const farthestEnd = 31_536_000_000

/** The API's address and credentials. */
export interface GithubAccess {
  /** Without a slash at the end, such as https://api.github.com. */
  apiUrl: string
  token?: string
}

/** The owner of the repositories, and what to read of them. */
export interface GithubOwner {
  /** An organisation or a user. */
  owner: string
  /** By default, one that is derived from the API's address and the owner. */
  integration?: string
  /** Whether to read branches and tags too, with two or more requests for each repository. */
  refs?: boolean
}

/** A page as it was last read. */
interface Page {
  etag: string | null
  entries: unknown
  next: string | null
}

type Asked = Pick<Response, 'status' | 'headers'> & { text: string }

interface Obstacle {
  wait: number
  reason: string
}

/** The pages that were read, by URL. An unchanged answer doesn't count towards the API's rate limit. */
export type KnownPages = Map<string, Page>

const repositorySchema = z.object({
  id: z.int(),
  name: z.string(),
  owner: z.object({ login: z.string() }),
  html_url: z.url({ protocol: /^https?$/ }),
  default_branch: z.string(),
  archived: z.boolean().optional(),
  disabled: z.boolean().optional(),
})

const refSchema = z.object({
  name: z.string(),
  commit: z.object({ sha: z.string().regex(/^(?:[\da-f]{40}|[\da-f]{64})$/) }),
})

/**
 * Reads the repositories of an owner, except archived and disabled ones, which can't be deployed.
 *
 * @param known the pages of an earlier import, which the API needn't send again
 * @throws {Refusal} if the API can't be used, or doesn't know the owner
 */
export async function readGithub(
  access: GithubAccess,
  { owner, integration, refs: withRefs }: GithubOwner,
  known: KnownPages,
): Promise<ReadRepositories> {
  const list = listerOf(access, known)
  const name = encodeURIComponent(owner)
  const found =
    (await list(`/orgs/${name}/repos`, repositorySchema)) ??
    (await list(`/users/${name}/repos`, repositorySchema))
  if (found === null) {
    throw new Refusal(`${access.apiUrl} has no owner "${owner}", or doesn't show it. Nothing was imported.`)
  }
  const derived = integrationOf(`${access.apiUrl} ${owner.toLowerCase()}`)
  const read: ReadRepositories = { repositories: [], leftOut: [] }
  for (const repository of found) {
    const { archived, disabled, owner: account, html_url: url, ...rest } = repository
    const { success, data } = importedRepositorySchema.safeParse({
      ...rest,
      url,
      owner: account.login,
      host_integration_id: integration ?? derived,
    })
    if (archived || disabled) read.leftOut.push(`${rest.name}: it is ${archived ? 'archived' : 'disabled'}`)
    else if (!success) read.leftOut.push(`${rest.name}: ${notPlain}`)
    else
      read.repositories.push({ answer: data, refs: withRefs ? await readRefs(data.owner, data.name) : null })
  }
  return read

  /** The commits of a repository's branches and tags; null if it is gone by now. */
  async function readRefs(account: string, repository: string): Promise<Refs | null> {
    const path = `/repos/${encodeURIComponent(account)}/${encodeURIComponent(repository)}`
    const refs: [string, string][] = []
    for (const [kind, prefix] of Object.entries({ branches: 'refs/heads/', tags: 'refs/tags/' })) {
      const listed = await list(`${path}/${kind}`, refSchema)
      if (listed === null) return null
      for (const { name: ref, commit } of listed)
        if (plainText.test(ref)) refs.push([prefix + ref, commit.sha])
    }
    return Object.fromEntries(refs)
  }
}

/**
 * Reads lists from GitHub's REST API, one request after the other, as its documentation asks: all entries of a list, or
 * null if it doesn't exist, or the token doesn't give access to it.
 */
function listerOf({ apiUrl, token }: GithubAccess, known: KnownPages) {
  const headers = {
    accept: 'application/vnd.github+json',
    'user-agent': 'slipway-service',
    'x-github-api-version': '2022-11-28',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  const failure = (what: string): Refusal => new Refusal(`${apiUrl} ${what}. Nothing was imported.`)

  /** A page; null for a 404. */
  async function getPage(url: string, triesLeft = mostTries): Promise<Page | null> {
    const before = known.get(url)
    const asked = await ask(url, before?.etag)
    if ('reason' in asked) {
      if (triesLeft === 1 || asked.wait > longestWait) throw failure(asked.reason)
      await pause(asked.wait)
      return getPage(url, triesLeft - 1)
    }
    const { status, headers: received, text } = asked
    if (status === 304 && before) return before
    if (status === 404) return null
    if (status === 401) throw failure('refuses the token')
    if (status === 403) throw failure("doesn't allow it (403): the token may lack a permission")
    if (status !== 200) throw failure(`answered ${status}`)
    const page = { etag: received.get('etag'), entries: parse(text), next: nextOf(received.get('link'), url) }
    known.set(url, page)
    return page
  }

  /** Asks for a page. A host that it is redirected to doesn't get the token. */
  async function ask(url: string, etag: string | null | undefined): Promise<Asked | Obstacle> {
    const signal = AbortSignal.timeout(timeLimit)
    try {
      const answer = await fetch(url, {
        headers: etag ? { ...headers, 'if-none-match': etag } : headers,
        signal,
      })
      const chunks: Uint8Array[] = []
      let bytes = 0
      for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
        bytes += chunk.length
        if (bytes > longestPage) throw failure('sent a page that is larger than 16 MiB')
        chunks.push(chunk)
      }
      const { status, headers: received } = answer
      const text = Buffer.concat(chunks).toString('utf8')
      return obstacleOf(answer) ?? { status, headers: received, text }
    } catch (error) {
      if (error instanceof Refusal) throw error
      // The error's message may contain headers.
      const code = (error as { cause?: { code?: unknown } }).cause?.code
      const reason = signal.aborted ? `didn't answer within ${timeLimit / 1_000} s` : "can't be reached"
      return { wait: 1_000, reason: typeof code === 'string' ? `${reason} (${code})` : reason }
    }
  }

  function parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw failure("didn't answer JSON")
    }
  }

  /** The URL of the next page in a Link header, on the same origin: the token is sent nowhere else. */
  function nextOf(link: string | null, base: string): string | null {
    const next = /<([^<>]+)>\s*;\s*rel="next"/.exec(link ?? '')?.[1]
    if (next === undefined) return null
    const url = URL.canParse(next, base) ? new URL(next, base) : null
    if (url?.origin !== new URL(apiUrl).origin) throw failure('leads to another host, which is not followed')
    return url.href
  }

  return async <Schema extends z.ZodType>(path: string, entry: Schema): Promise<z.infer<Schema>[] | null> => {
    const schema = z.array(entry).max(pageSize)
    const entries: z.infer<Schema>[] = []
    let url: string | null = `${apiUrl}${path}?per_page=${pageSize}`
    for (let pages = 1; url !== null; pages += 1) {
      if (pages > mostPages) throw failure(`has more than ${mostPages} pages`)
      const page: Page | null = await getPage(url)
      if (page === null) return null
      const { success, data } = schema.safeParse(page.entries)
      if (!success) throw failure("didn't answer what GitHub's documentation says")
      entries.push(...data)
      url = page.next
    }
    return entries
  }
}

/** Why a page has to be requested again, and after how many milliseconds; null if the answer stands. */
function obstacleOf({ status, headers }: Response): Obstacle | null {
  if (status >= 500) return { wait: 1_000, reason: `answered ${status}` }
  const isSpent = headers.get('x-ratelimit-remaining') === '0'
  if (status !== 429 && !(status === 403 && (headers.has('retry-after') || isSpent))) return null
  const seconds = Number(headers.get('retry-after') ?? NaN)
  const end = Number((isSpent ? headers.get('x-ratelimit-reset') : null) ?? NaN) * 1_000 - Date.now()
  const found = [seconds * 1_000, end].find(Number.isFinite) ?? usualWait
  const wait = Math.min(Math.max(0, found), farthestEnd)
  return { wait, reason: `takes no more requests until ${new Date(Date.now() + wait).toISOString()}` }
}
