import { nameStem } from './name-stem'

/** The facts that decide which agent a deployment belongs to. */
export interface IdentityFacts {
  name: string
  repo_url: string | null
  graph_config_path: string | null
  image_uri: string | null
}

/** What makes deployments the same agent. `own`: the operator made this one an agent of its own. */
type SameBy = 'repository' | 'image' | 'name' | 'own'

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
 * The key of the agent that a deployment is: by its repository and configuration file, else by its image's repository,
 * else by its name without an environment's suffix. Equal keys mean the same agent. A key is plain ASCII, so that a
 * database and JavaScript sort it alike: by the agent's title.
 */
export function agentKey({ name, repo_url, graph_config_path, image_uri }: IdentityFacts): string {
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
  const [title, by, where, ...more] = key.split(' ')
  const known = (['repository', 'image', 'name', 'own'] as const).find((one) => one === by)
  if (title === undefined || known === undefined || where === undefined || more.length > 0) return null
  try {
    return { title: decodeURIComponent(title), by: known, where: decodeURIComponent(where) }
  } catch {
    return null
  }
}

const keyOf = (title: string, by: SameBy, where: string): string =>
  [encoded(title), by, encoded(where)].join(' ')

const encoded = (text: string): string =>
  encodeURIComponent(bounded(text).replace(/\p{Surrogate}/gu, '\ufffd'))

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

/**
 * A repository's host and path, in whatever form its address is; null for a blank one. The part before an "@" is left
 * out, since it may be a password.
 */
function repositoryOf(url: string): string | null {
  const text = url
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/^[^/@]*@/, '')
    .replace(/[?#].*$/s, '')
    // The short form of ssh has a colon where others have a slash.
    .replace(/^([^/:]+):(?!\d+(?:\/|$))/, '$1/')
    .replace(/\/{2,}/g, '/')
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '')
    .toLowerCase()
  return text === '' ? null : text
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
