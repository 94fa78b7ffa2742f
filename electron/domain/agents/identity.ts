import { orderKey } from '@contract/core/order'

/** The facts that decide which agent a deployment belongs to. */
export interface IdentityFacts {
  /** What the service calls the agent; null if it doesn't say. */
  agent_id: string | null
  name: string
  repo_url: string | null
  graph_config_path: string | null
  image_uri: string | null
}

/**
 * What makes deployments the same agent. `agent`: the service says so. `own`: the operator made this one an agent of its
 * own.
 */
type SameBy = 'agent' | 'repository' | 'image' | 'name' | 'own'

/** An agent: the common identity of deployments in several environments. */
export interface Agent {
  /** A short name, such as a repository's. */
  title: string
  by: SameBy
  /** In full: the repository and its configuration file, the image's repository, or the name. */
  where: string
}

/** The default configuration file of a repository. */
const defaultConfigPath = 'langgraph.json'

/** A longer text is identified by its beginning and a digest of the whole, so that keys stay short. */
const maxPartLength = 400

/**
 * The key of the agent that a deployment is: what the service says; else by its repository and configuration file, else
 * by its image's repository, else by its name without an environment's suffix. Equal keys mean the same agent. A key is
 * plain ASCII and begins with the title's `orderKey`, so that a database and JavaScript sort it alike.
 */
export function agentKey(facts: IdentityFacts): string {
  const { agent_id, name, repo_url, graph_config_path, image_uri } = facts
  if (agent_id) return keyOf(agent_id, 'agent', agent_id)
  const repository = repo_url === null ? null : repositoryOf(repo_url)
  if (repository !== null) {
    const path = configPath(graph_config_path)
    const title = repository.split('/').slice(1).join('/') || repository
    return path === defaultConfigPath
      ? keyOf(title, 'repository', repository)
      : keyOf(`${title} · ${path}`, 'repository', `${repository} · ${path}`)
  }
  const image = image_uri === null ? null : imageRepository(image_uri)
  if (image !== null) {
    const [host = '', ...rest] = image.split('/')
    return keyOf(rest.length > 0 && isHost(host) ? rest.join('/') : image, 'image', image)
  }
  const stem = nameStem(name).toLowerCase()
  return keyOf(stem, 'name', stem)
}

/** The key of an agent that the operator separated from others. `id` makes it unique. */
export const ownAgentKey = (name: string, id: string): string =>
  keyOf(nameStem(name).toLowerCase(), 'own', id)

/** The agent of a key; null for a text that isn't a key. */
export function agentOf(key: string): Agent | null {
  const [, title, by, where, ...more] = key.split(' ')
  const known = (['agent', 'repository', 'image', 'name', 'own'] as const).find((one) => one === by)
  if (title === undefined || known === undefined || where === undefined || more.length > 0) return null
  try {
    return { title: decodeURIComponent(title), by: known, where: decodeURIComponent(where) }
  } catch {
    return null
  }
}

const keyOf = (title: string, by: SameBy, where: string): string =>
  [orderKey(title), encoded(title), by, encoded(where)].join(' ')

const encoded = (text: string): string => encodeURIComponent(bounded(text).toWellFormed())

function bounded(text: string): string {
  return text.length <= maxPartLength ? text : `${text.slice(0, maxPartLength)}…${digest(text)}`
}

/** Two 32-bit FNV-1a hashes of a text. They distinguish texts, and aren't for security. */
function digest(text: string): string {
  let one = 0x811c9dc5
  let other = 0x050c5d1f
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x01000197)
  }
  return [one, other].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
}

/** Hosts that serve the same repositories under another name, for ssh or in an older form. */
const otherHosts: [alias: RegExp, host: string][] = [
  [/^(?:www\.|(?:alt)?ssh\.(?=(?:github\.com|gitlab\.com|bitbucket\.org)\/))/, ''],
  [/^(?:vs-ssh\.visualstudio|ssh\.dev\.azure)\.com\/v\d+\//, 'dev.azure.com/'],
  [/^([^./]+)\.visualstudio\.com\/(?:defaultcollection\/)?/, 'dev.azure.com/$1/'],
]

/** What services have in their addresses beside a repository's path. */
const otherPaths: [form: RegExp, path: string][] = [
  // Pages of a branch, file or commit, with a domain's two parts before the rest.
  [/^((?:github\.com|bitbucket\.org)\/[^/]+\/[^/]+)\/.*$/s, '$1'],
  [/\/-\/.*$/s, ''],
  [/^([^/]+\/[^/]+\/.+?)\/(?:tree|blob|src\/(?:branch|tag|commit))\/.*$/s, '$1'],
  // Azure DevOps: a repository with the name of its project has a short form.
  [/^(dev\.azure\.com\/[^/]+)\/_(?:git|ssh)\/(?:_full\/|_optimized\/)?([^/]+)$/, '$1/$2/$2'],
  [/\/_(?:git|ssh)\/(?:_full\/|_optimized\/)?/, '/'],
  // Bitbucket Data Center: pages, and the addresses for cloning. Both may be below a prefix, which ssh lacks.
  [/^([^/]+)\/(?:[^/]+\/)*?projects\/([^/]+)\/repos\/([^/]+)(?:\/.*)?$/s, '$1/$2/$3'],
  [/^([^/]+)\/(?:[^/]+\/)*?users\/~?([^/]+)\/repos\/([^/]+)(?:\/.*)?$/s, '$1/~$2/$3'],
  [/^([^/]+)\/(?:[^/]+\/)*?scm\/([^/]+\/[^/]+)$/, '$1/$2'],
]

/**
 * A repository's host and path, in whatever form its address is; null for a blank one. The part before an "@" is left
 * out, since it may be a password. So is the port, because one for ssh says nothing about that of the web address.
 */
function repositoryOf(url: string): string | null {
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(url.trim())!
  const [, user, address = ''] = /^([^/]*@)?(.*)$/s.exec(rest)!
  // Only the short form of ssh has a colon before the path. A number after it is part of the path.
  const isShort = scheme === undefined && (user !== undefined || !/^[^/:]+:\d+(?:\/|$)/.test(address))
  let text = decoded(address.replace(/[?#].*$/s, ''))
    .replace(isShort ? /^([^/:[]+):/ : /^([^/:[]+|\[[^\]]*\]):(?:\d+(?=\/|$))?/, '$1/')
    .replace(/\/{2,}/g, '/')
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '')
    .toLowerCase()
    .replace(/^([^/]+)\.(?=\/)/, '$1')
  for (const [form, same] of [...otherHosts, ...otherPaths]) text = text.replace(form, same)
  return text === '' ? null : text
}

function decoded(address: string): string {
  try {
    return decodeURI(address)
  } catch {
    return address
  }
}

function configPath(path: string | null): string {
  const text = (path ?? '').trim().replace(/^(?:\.?\/)+/, '')
  return text === '' ? defaultConfigPath : text
}

/** An image's repository, without tag and digest; null for a blank one. */
function imageRepository(uri: string): string | null {
  const text = uri
    .trim()
    .replace(/@.*$/s, '')
    .replace(/:[^/:]*$/, '')
    .replace(/^(?:index\.)?docker\.io\//i, '')
    .replace(/^library\//i, '')
    .toLowerCase()
  return text === '' ? null : text
}

/** Whether the first part of an image's repository is a host, by the rule of container tools. */
const isHost = (part: string): boolean => /[.:]/.test(part) || part === 'localhost'

/** The suffixes of deployments' names that mean an environment. */
const environmentWords = [
  'dev',
  'devel',
  'development',
  'int',
  'integration',
  'test',
  'testing',
  'qa',
  'uat',
  'demo',
  'sandbox',
  'stg',
  'stage',
  'staging',
  'canary',
  'pre[-_. ]?prod',
  'pre[-_. ]?production',
  'prd',
  'prod',
  'production',
  'live',
]

const suffix = new RegExp(`^(.*?[^-_. ])[-_. ]+(?:${environmentWords.join('|')})$`, 'is')

/** How much of a name's end is searched: no suffix is longer. */
const maxSuffixLength = 40

/** A name without the suffix for its environment, such as "-staging". A name that is only a suffix stays. */
function nameStem(name: string): string {
  const at = Math.max(0, name.length - maxSuffixLength)
  const rest = suffix.exec(name.slice(at))?.[1]
  return rest === undefined ? name : name.slice(0, at) + rest
}
