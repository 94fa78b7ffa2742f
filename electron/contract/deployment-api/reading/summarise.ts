import { cutText, shortText } from '../list'
import type { ListedDeployment } from '../deployment'
import { withoutUrlCredentials } from './secret-values'

/**
 * How much of a value remains: how many values and levels, how many characters of all texts together, and how many of
 * each text.
 */
export interface ShortenLimits {
  values: number
  levels: number
  length: number
  textLength: number
}

/**
 * At least this many characters of each text, such as an identifier or a name, remain, even if other texts have used up
 * the common limit.
 */
const minTextLength = 500

/** A value that came from JSON, or as much of it as the limits allow. */
export interface Shortened {
  value: unknown
  /** Whether something was cut. If not, the value is the original. */
  shortened: boolean
  /** How many values it has. */
  values: number
}

/**
 * Cuts a value that came from JSON: long texts end with a mark, lists and objects lose their last members. Outer
 * levels come first, so that the outermost members stay, however large the first of them is.
 */
export function shorten(value: unknown, limits: ShortenLimits): Shortened {
  const counted = { values: 1, length: 0, namesLength: 0, cut: false }
  const open: { from: object; to: unknown[] | Record<string, unknown>; level: number }[] = []

  const copyMember = (member: unknown, level: number): unknown => {
    if (typeof member === 'string') {
      const room = Math.max(minTextLength, Math.min(limits.textLength, limits.length - counted.length))
      counted.length += Math.min(member.length, room)
      counted.cut ||= member.length > room
      return cutText(member, room)
    }
    if (typeof member !== 'object' || member === null) return member
    const to = Array.isArray(member) ? [] : {}
    open.push({ from: member, to, level })
    return to
  }

  const result = copyMember(value, 1)
  for (const { from, to, level } of open) {
    // Not Object.keys: an object may have millions of names.
    for (const name in from) {
      counted.namesLength += Array.isArray(from) ? 0 : name.length
      counted.values += 1
      if (counted.values > limits.values || counted.namesLength > limits.length || level > limits.levels) {
        counted.cut = true
        break
      }
      const member = copyMember((from as Record<string, unknown>)[name], level + 1)
      if (Array.isArray(to)) to.push(member)
      // Assigning this name would change the object's prototype.
      else if (name !== '__proto__') to[name] = member
    }
  }
  return { value: counted.cut ? result : value, shortened: counted.cut, values: counted.values }
}

/**
 * A deployment's row. Long texts are cut, so that a thousand rows stay small. Free of schemas, because the first screen
 * loads it.
 */
export const summarise = (deployment: ListedDeployment): DeploymentSummary => rowOf(deployment, shortText)

/** A deployment's row in the list. Only this goes to the renderer, a page at a time. */
export type DeploymentSummary = ReturnType<typeof rowOf>

/** A deployment's row with its texts in full. */
export const summariseInFull = (deployment: ListedDeployment): DeploymentSummary =>
  rowOf(deployment, (text) => text)

function rowOf(
  deployment: ListedDeployment,
  short: <Text extends string | null>(text: Text) => Text | string,
) {
  const { source_config, source_revision_config } = deployment
  return {
    id: deployment.id,
    name: short(deployment.name),
    source: short(deployment.source),
    status: short(deployment.status),
    repo_url: short(withoutUserInfo(source_config.repo_url)),
    repo_ref: short(source_revision_config.repo_ref),
    image_uri: short(withoutUserInfo(source_revision_config.image_uri)),
    source_tarball_path: short(source_revision_config.source_tarball_path),
    integration_id: short(source_config.integration_id),
    latest_revision_id: short(deployment.latest_revision_id),
    active_revision_id: short(deployment.active_revision_id),
    image_version: short(deployment.image_version),
    created_at: short(deployment.created_at),
    updated_at: short(deployment.updated_at),
  }
}

const withoutUserInfo = (address: string | null): string | null => address && withoutUrlCredentials(address)
