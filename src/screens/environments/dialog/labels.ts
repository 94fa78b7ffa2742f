import {
  availableSources,
  type Environment,
  type EnvironmentColour,
  environmentColours,
  type EnvironmentMode,
  environmentModes,
  modeLabels,
  type Source,
  sourceLabels,
  sources,
} from '@contract'

/** The colours' names, so that no choice depends on colour alone. */
export const colourLabels: Record<EnvironmentColour, string> = {
  blue: 'Blue',
  teal: 'Teal',
  green: 'Green',
  amber: 'Amber',
  brown: 'Brown',
  purple: 'Purple',
  pink: 'Pink',
  grey: 'Grey',
}

export const colourOptions = environmentColours.map((colour) => ({
  value: colour,
  label: colourLabels[colour],
}))

/** Where an environment's profile is stored. */
export const storageLabels: Record<Environment['storage'], string> = {
  'built-in': 'Built in',
  keychain: 'Keychain',
  session: 'Session',
}

/** The sources that a mode allows, or those that it doesn't if they are fewer. */
function sourcesOf(mode: EnvironmentMode): string {
  const allowed = availableSources(mode)
  const others = sources.filter((source) => !allowed.includes(source))
  const list = (named: readonly Source[]): string =>
    named.map((source) => sourceLabels[source].toLowerCase()).join(', ')
  return others.length < allowed.length ? `All sources except ${list(others)}.` : `Sources: ${list(allowed)}.`
}

/** The modes, each with the sources it allows. */
export const modeOptions = environmentModes.map((mode) => ({
  value: mode,
  label: modeLabels[mode],
  hint: sourcesOf(mode),
}))

/** The note beside an environment's name; null if the name needs none. */
export function remark(environment: Environment): string | null {
  if (environment.storage === 'built-in') {
    return 'Sample deployments, to try everything out.'
  }
  if (environment.storage === 'session') return 'This session only: there is no keychain to store it in.'
  return null
}
