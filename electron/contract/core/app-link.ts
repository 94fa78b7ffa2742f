/**
 * Slipway's own links: `slipway://ENVIRONMENT/SCREEN`, `slipway://ENVIRONMENT/deployments/ID`, and with `/SECTION`
 * after it. ENVIRONMENT is the environment's name. Name and identifier are percent-encoded. Anyone can make such a
 * link, so it only opens a screen.
 */
import { isSeen, isWellFormed } from './text'

const linkScheme = 'slipway'

/** The screens that a link can open. Opening one changes nothing and fills in nothing. */
const linkScreens = ['deployments', 'repositories', 'new'] as const

/** The sections of a deployment's page. The first one is in view unless another one is named. */
export const deploymentSections = ['overview', 'revisions', 'logs', 'history', 'resources', 'json'] as const

export type DeploymentSection = (typeof deploymentSections)[number]

/** Where a link leads. */
export interface AppLink {
  /** The environment's name. */
  environment: string
  screen: (typeof linkScreens)[number]
  /** Null for the list. */
  deploymentId: string | null
  /** Null if it names none. */
  section: DeploymentSection | null
}

/** The longest link, in characters, and the longest name and identifier in one. */
const longest = { link: 2_000, name: 200, id: 300 } as const

/** A link has no user name, port, query or fragment. Some systems add a slash at the end. */
const form = /^slipway:\/\/([^/?#@:]+)\/([a-z]+)(?:\/([^/?#]+)(?:\/([a-z]+))?)?\/?$/i

/** Whether a text, such as an argument, is meant to be a link of Slipway. */
export const isMeantAsAppLink = (text: string): boolean => text.toLowerCase().startsWith(`${linkScheme}:`)

/** Where a link leads; null for a text that isn't one, such as one with a section that doesn't exist. */
export function parseAppLink(text: string): AppLink | null {
  if (text.length > longest.link) return null
  const [, name = '', screenText = '', id = null, sectionText = null] = form.exec(text) ?? []
  const environment = decoded(name, longest.name)
  const screen = linkScreens.find((one) => one === screenText.toLowerCase())
  if (environment === null || !screen) return null
  if (id === null) return { environment, screen, deploymentId: null, section: null }
  const deploymentId = screen === 'deployments' ? decoded(id, longest.id) : null
  const section = deploymentSections.find((one) => one === sectionText?.toLowerCase()) ?? null
  const isKnown = sectionText === null || section !== null
  return deploymentId === null || !isKnown ? null : { environment, screen, deploymentId, section }
}

/** The link to a deployment, or to a section of its page; null if the names can't be in one. */
export function appLinkTo(
  environment: string,
  deploymentId: string,
  section: DeploymentSection | null = null,
): string | null {
  if (!isWellFormed(environment) || !isWellFormed(deploymentId)) return null
  const page = `${linkScheme}://${encoded(environment)}/deployments/${encoded(deploymentId)}`
  const link = section === null ? page : `${page}/${section}`
  const leads = parseAppLink(link)
  return leads?.environment === environment && leads.deploymentId === deploymentId ? link : null
}

/** Escapes what would end a link in a text, or be markup in a chat. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*_~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

function decoded(part: string, max: number): string | null {
  try {
    const text = decodeURIComponent(part)
    // In a path, "." and ".." have another meaning.
    const isPlain = text !== '.' && text !== '..' && text.trim() !== ''
    return isPlain && text.length <= max && isSeen(text) ? text : null
  } catch {
    return null
  }
}
