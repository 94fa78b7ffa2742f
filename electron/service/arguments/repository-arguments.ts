import { Refusal } from '../base/refusal'
import type { RepositoryImport } from '../commands/repositories'

/** The options of `repositories import`, for `parseArgs`. */
export const repositoryOptions = {
  integration: { type: 'string' },
  'url-prefix': { type: 'string' },
  'api-url': { type: 'string' },
  'token-file': { type: 'string' },
  refs: { type: 'boolean' },
  every: { type: 'string' },
} as const

/** The values that `parseArgs` gives for them. */
type RepositoryValues = { [Name in Exclude<keyof typeof repositoryOptions, 'refs'>]?: string | undefined } & {
  refs?: boolean | undefined
}

export const repositoryUsage = `  repositories import FILE        replaces the repositories of the integrations in a file
  repositories import FOLDER [--integration UUID] [--url-prefix URL] [--every 15m|12h]
                                  replaces those of one integration by the git repositories in a folder
  repositories import github:OWNER [--integration UUID] [--refs] [--every 15m|12h] [--api-url URL] [--token-file FILE]
                                  replaces them by those of an owner on GitHub, with --refs also their branches and
                                  tags. The token is in a file, or in SLIPWAY_GITHUB_TOKEN`

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const

const publicApi = 'https://api.github.com'

/**
 * Reads where repositories are imported from.
 *
 * @throws {Refusal} with a message that says what is wrong with the arguments
 */
export function importOf(
  from: string,
  values: RepositoryValues,
  environment: NodeJS.ProcessEnv,
): RepositoryImport {
  const integrationId = uuidOf('--integration', values.integration)
  const every = intervalOf(values.every)
  const owner = /^github:(.*)$/s.exec(from)?.[1]
  if (owner === undefined) {
    if (values['api-url'] !== undefined || values['token-file'] !== undefined || values.refs) {
      throw wrong('--api-url, --token-file and --refs are only for "repositories import github:OWNER".')
    }
    return {
      kind: 'path',
      path: from,
      integrationId,
      every,
      urlPrefix: urlOf('--url-prefix', values['url-prefix']),
    }
  }
  if (values['url-prefix'] !== undefined) throw wrong('--url-prefix is only for a folder.')
  if (!/^[\w.-]{1,100}$/.test(owner)) throw wrong(`"${from}" must be like github:OWNER.`)
  return {
    kind: 'github',
    owner,
    integrationId,
    every,
    withRefs: values.refs ?? false,
    apiUrl: (urlOf('--api-url', values['api-url']) ?? publicApi).replace(/\/+$/, ''),
    tokenFile: values['token-file'] ?? null,
    token: environment.SLIPWAY_GITHUB_TOKEN || null,
  }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Reads a UUID, in lower case; null if the option isn't given. */
export function uuidOf(option: string, text: string | undefined): string | null {
  const id = text?.toLowerCase() ?? null
  if (id !== null && !uuid.test(id)) throw wrong(`${option} must be a UUID, not "${text}".`)
  return id
}

function urlOf(option: string, text: string | undefined): string | null {
  if (text === undefined) return null
  if (/^https?:\/\/[^\s@?#]+$/i.test(text) && isUrl(text)) return text
  throw wrong(`${option} must be like https://git.example/agents, without a user, a query or a fragment.`)
}

function isUrl(text: string): boolean {
  try {
    return new URL(text).host !== ''
  } catch {
    return false
  }
}

function intervalOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const [, number, unit] = /^(\d{1,4})([smh])$/.exec(text) ?? []
  const interval = Number(number) * units[unit as keyof typeof units]
  if (interval > 0) return interval
  throw wrong(`--every must be like 15m or 12h, not "${text}".`)
}

function wrong(message: string): Refusal {
  return new Refusal(message, 'arguments')
}
