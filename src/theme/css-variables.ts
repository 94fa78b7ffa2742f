import type { EnvironmentColour } from '@contract'
import { type Appearance, colours, durationMs, fonts, meanings, neutrals, sizes, type Tones } from './tokens'

/**
 * The CSS variables of an appearance with an environment's colour as the accent: `--text`, `--accent-solid`,
 * `--danger-text`, `--blue-mark`, `--space-4` and so on.
 */
export function cssVariables(appearance: Appearance, accent: EnvironmentColour): Record<string, string> {
  const variables: Record<string, string> = {
    '--font-text': fonts.text,
    '--font-mono': fonts.mono,
    '--duration': `${durationMs}ms`,
  }
  for (const [name, pixels] of Object.entries(sizes)) variables[`--size-${name}`] = `${pixels}px`
  for (const [name, value] of Object.entries(neutrals[appearance])) variables[`--${kebab(name)}`] = value
  const palette = colours[appearance]
  for (const [name, tones] of Object.entries(palette)) addTones(variables, name, tones)
  for (const [meaning, colour] of Object.entries(meanings)) addTones(variables, meaning, palette[colour])
  addTones(variables, 'accent', palette[accent])
  return variables
}

function addTones(variables: Record<string, string>, name: string, tones: Tones): void {
  for (const [tone, value] of Object.entries(tones)) variables[`--${name}-${kebab(tone)}`] = value as string
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
