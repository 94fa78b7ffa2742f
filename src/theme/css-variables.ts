import type { EnvironmentColour } from '@contract'
import {
  type Appearance,
  colours,
  fonts,
  meanings,
  type Neutrals,
  neutrals,
  sizes,
  type Tones,
} from './tokens'

/**
 * The CSS variables of an appearance with an environment's colour as the accent: `--text`, `--accent-solid`,
 * `--danger-text`, `--blue-mark`, `--space-4` and so on.
 */
export function cssVariables(appearance: Appearance, accent: EnvironmentColour): Record<string, string> {
  const variables: Record<string, string> = {
    '--font-text': fonts.text,
    '--font-mono': fonts.mono,
  }
  for (const [name, pixels] of Object.entries(sizes)) variables[`--size-${name}`] = `${pixels}px`
  add(variables, '', neutrals[appearance])
  const palette = colours[appearance]
  for (const [name, tones] of Object.entries(palette)) add(variables, `${name}-`, tones)
  for (const [meaning, colour] of Object.entries(meanings)) add(variables, `${meaning}-`, palette[colour])
  add(variables, 'accent-', palette[accent])
  return variables
}

function add(variables: Record<string, string>, prefix: string, values: Tones | Neutrals): void {
  for (const [name, value] of Object.entries<string>({ ...values }))
    variables[`--${prefix}${kebab(name)}`] = value
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
