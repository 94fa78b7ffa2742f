import type { EnvironmentColour } from '@contract'

/** The two appearances. Slipway follows the system's choice. */
export type Appearance = 'light' | 'dark'

/**
 * The tones of a colour: `solid` under `onSolid` text, `text` on every surface, `soft` behind `text`, `mark` for dots
 * and stripes.
 */
export interface Tones {
  solid: string
  solidHover: string
  solidPressed: string
  onSolid: string
  text: string
  soft: string
  mark: string
}

/** Sizes, in pixels, on a grid of 4. */
export const sizes = {
  'text-small': 12,
  text: 13,
  'text-large': 15,
  'text-heading': 20,
  'line-small': 16,
  line: 20,
  'line-heading': 28,
  'space-1': 4,
  'space-2': 8,
  'space-3': 12,
  'space-4': 16,
  'space-5': 20,
  'space-6': 24,
  'space-8': 32,
  'space-12': 48,
  radius: 6,
  'radius-large': 10,
  control: 32,
  'control-small': 28,
  row: 36,
  'row-compact': 28,
  'row-tall': 40,
  /** The widest content: in a wide window, actions aren't far from what they are about. */
  page: 1440,
  rail: 216,
  'rail-narrow': 56,
  stripe: 4,
  'environment-bar': 36,
  'status-line': 28,
  scrollbar: 12,
} as const

const fonts = {
  text: "system-ui, -apple-system, 'Segoe UI', Roboto, Ubuntu, Cantarell, 'Noto Sans', 'DejaVu Sans', sans-serif",
  mono: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'Segoe UI Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
} as const

const lightNeutrals = {
  canvas: '#ffffff',
  rail: '#f6f6f7',
  surface: '#ffffff',
  raised: '#ffffff',
  sunken: '#f6f6f7',
  hover: '#f2f2f4',
  pressed: '#e9e9ec',
  border: '#e5e5e9',
  /** Borders of input fields: 3:1 against the surface. */
  borderField: '#8d8d97',
  borderFieldHover: '#6a6a75',
  text: '#1b1b1f',
  textMuted: '#50505a',
  textFaint: '#666671',
  textDisabled: '#9a9aa4',
  shadow: '0 1px 2px rgba(20, 20, 30, 0.06), 0 8px 24px rgba(20, 20, 30, 0.14)',
}

/** The neutral colours of each appearance. */
export const neutrals: Record<Appearance, typeof lightNeutrals> = {
  light: lightNeutrals,
  dark: {
    canvas: '#17171a',
    rail: '#121214',
    surface: '#17171a',
    raised: '#222226',
    sunken: '#1e1e22',
    hover: '#232328',
    pressed: '#2c2c32',
    border: '#2d2d33',
    borderField: '#74747f',
    borderFieldHover: '#9a9aa6',
    text: '#ededf0',
    textMuted: '#b9b9c2',
    textFaint: '#9c9ca8',
    textDisabled: '#5f5f69',
    shadow: '0 1px 2px rgba(0, 0, 0, 0.5), 0 8px 28px rgba(0, 0, 0, 0.55)',
  },
}

const tonesFor =
  (appearance: Appearance) =>
  (solid: string, solidHover: string, solidPressed: string, soft: string, mark = solid): Tones => ({
    ...{ solid, solidHover, solidPressed, soft, mark },
    ...(appearance === 'light'
      ? { onSolid: '#ffffff', text: solidPressed }
      : { onSolid: '#121214', text: solid }),
  })

const light = tonesFor('light')
const dark = tonesFor('dark')
const lightBlue = light('#2563d9', '#1f56c0', '#1a4aa8', '#edf3fe')
const darkBlue = dark('#84b1ff', '#9bc0ff', '#6f9ff2', '#1c2840')

/** The colours of JSON and YAML: `text` for strings, `value` for numbers and literals such as `true`. */
export const syntax: Record<Appearance, { text: string; value: string }> = {
  light: { text: '#075b59', value: '#5a32a3' },
  dark: { text: '#54c7be', value: '#c2a5ff' },
}

/**
 * What a colour means: a control or the focus (accent), a failure or something destructive (danger), a reason for
 * caution (warning), success, or information.
 */
export type Meaning = 'accent' | 'danger' | 'warning' | 'success' | 'info'

/**
 * The tones of every meaning. An environment's colour has no meaning: it shows where the operator is, never what to do.
 */
export const meanings: Record<Appearance, Record<Meaning, Tones>> = {
  light: {
    accent: lightBlue,
    danger: light('#c93434', '#b22a2a', '#9b2222', '#fdeeee'),
    warning: light('#97590a', '#834c06', '#704104', '#fdf3e1', '#b8710f'),
    success: light('#1b7f3d', '#166f34', '#125f2c', '#e7f6ec'),
    info: lightBlue,
  },
  dark: {
    accent: darkBlue,
    danger: dark('#ff938b', '#ffaaa3', '#ee7d75', '#3d1f1f', '#eb7864'),
    warning: dark('#e9b050', '#f0c173', '#d69c3a', '#352912'),
    success: dark('#67c987', '#81d59c', '#52b473', '#173021'),
    info: darkBlue,
  },
}

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

/** The tones of an environment's colour: `mark` for stripes and badges with `onMark` letters, `soft` behind text. */
interface EnvironmentTones {
  mark: string
  onMark: string
  soft: string
}

const tones = (mark: string, onMark: string, soft: string): EnvironmentTones => ({ mark, onMark, soft })

/**
 * The tones of every environment colour. Any two of them, and each of them and "failed", stay distinct for people with
 * protanopia, deuteranopia or tritanopia. So they differ in lightness too: not everybody can tell hues apart.
 */
export const environmentTones: Record<Appearance, Record<EnvironmentColour, EnvironmentTones>> = {
  light: {
    blue: tones('#1535aa', '#ffffff', '#e8ebf7'),
    teal: tones('#208686', '#000000', '#e9f3f3'),
    green: tones('#057311', '#ffffff', '#e6f1e7'),
    amber: tones('#ba7604', '#000000', '#f8f1e6'),
    brown: tones('#662903', '#ffffff', '#f0eae6'),
    purple: tones('#9462ee', '#000000', '#f4effd'),
    pink: tones('#ea37b0', '#000000', '#fdebf7'),
    grey: tones('#3a3f46', '#ffffff', '#ebecec'),
  },
  dark: {
    blue: tones('#80aafd', '#000000', '#273043'),
    teal: tones('#028580', '#000000', '#142929'),
    green: tones('#aeffb5', '#000000', '#2f3e32'),
    amber: tones('#f9c605', '#000000', '#3b3417'),
    brown: tones('#9e6c2f', '#000000', '#2d251d'),
    purple: tones('#9761f9', '#000000', '#2c233e'),
    pink: tones('#ec38b0', '#000000', '#391c32'),
    grey: tones('#ccd0da', '#000000', '#34353a'),
  },
}
