import {
  availableSources,
  type Environment,
  type EnvironmentColour,
  environmentColours,
  environmentModes,
  modeLabels,
  sourceLabels,
} from '@contract'

/** The colours in words: a choice is never made by colour alone. */
export const colourLabels: Record<EnvironmentColour, string> = {
  blue: 'Blue',
  teal: 'Teal',
  green: 'Green',
  amber: 'Amber',
  red: 'Red',
  purple: 'Purple',
  pink: 'Pink',
  grey: 'Grey',
}

export const colourOptions = environmentColours.map((colour) => ({
  value: colour,
  label: colourLabels[colour],
}))

/** Where the profile of an environment is kept, in words. */
export const keptLabels: Record<Environment['kept'], string> = {
  'built-in': 'Built in',
  keychain: 'Keychain',
  session: 'Session',
}

/** The modes with what each lets one create. */
export const modeOptions = environmentModes.map((mode) => ({
  value: mode,
  label: modeLabels[mode],
  hint: `Sources: ${availableSources(mode)
    .map((source) => sourceLabels[source].toLowerCase())
    .join(', ')}.`,
}))

/** What stands below the name of an environment: what it is, or what is wrong with it; null for a plain one. */
export function remark(environment: Environment): string | null {
  if (environment.kept === 'built-in') {
    return "Built in: sample deployments to try everything out, served by Slipway itself. Can't be edited or removed."
  }
  if (environment.kept === 'session') return 'This session only: there is no keychain to store it in.'
  return null
}
