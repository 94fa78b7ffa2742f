import type { EnvironmentColour } from '@contract'
import { environmentTones } from './environment-colours'
import { type Appearance, fonts, meanings, neutrals, sizes, syntax } from './tokens'

/**
 * The CSS variables of an appearance and of the current environment's colour: `--text`, `--accent-solid`,
 * `--danger-text`, `--environment-mark`, `--environment-teal-mark`, `--space-4` and so on.
 */
export function cssVariables(appearance: Appearance, colour: EnvironmentColour): Record<string, string> {
  const variables: Record<string, string> = {
    '--font-text': fonts.text,
    '--font-mono': fonts.mono,
  }
  for (const [name, pixels] of Object.entries(sizes)) variables[`--size-${name}`] = `${pixels}px`
  add(variables, '', neutrals[appearance])
  add(variables, 'syntax-', syntax[appearance])
  for (const [meaning, tones] of Object.entries(meanings[appearance])) add(variables, `${meaning}-`, tones)
  const colours = environmentTones[appearance]
  for (const [name, tones] of Object.entries(colours)) add(variables, `environment-${name}-`, tones)
  add(variables, 'environment-', colours[colour])
  return variables
}

function add(variables: Record<string, string>, prefix: string, values: object): void {
  for (const [name, value] of Object.entries<string>({ ...values }))
    variables[`--${prefix}${kebab(name)}`] = value
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
