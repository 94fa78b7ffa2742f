import presetMini from '@unocss/preset-mini'
import { defineConfig } from '@unocss/vite'
import { cssVariables } from './tokens'

// The tokens of src/app/theme are the theme: `p-2` is --size-space-2, `h-control` --size-control, `text-muted`
// --text-muted, `hairline-field` a border of --border-field, `bg-danger-soft` --danger-soft.
const variables = Object.keys(cssVariables('light', 'blue'))
const sizes = Object.fromEntries(
  variables
    .filter((name) => name.startsWith('--size-'))
    .map((name) => [name.replace(/^--size-(?:space-)?/, ''), `var(${name})`]),
)
const colours: Record<string, string> = { ink: 'var(--text)', transparent: 'transparent' }
for (const name of variables) {
  if (!/^--(?:size|font|text$)/.test(name))
    colours[name.replace(/^--(?:text-|border-(?=field))?/, '')] = `var(${name})`
}
for (const name of ['Canvas', 'CanvasText', 'Highlight', 'HighlightText', 'ButtonText', 'GrayText'])
  colours[name] = name

const sides: Record<string, string> = { t: '-top', r: '-right', b: '-bottom', l: '-left' }
/** What sets several properties comes before what sets one of them. */
const first = { layer: 'shortcuts' }

export default defineConfig({
  content: { pipeline: { include: [/\/src\/.*\.(?:vue|ts)$/] } },
  presets: [presetMini({ preflight: false })],
  theme: {
    spacing: sizes,
    width: sizes,
    height: sizes,
    minWidth: sizes,
    minHeight: sizes,
    maxWidth: sizes,
    maxHeight: sizes,
    aria: {
      expanded: 'expanded="true"',
      selected: 'selected="true"',
      pressed: 'pressed="true"',
      current: 'current="page"',
      disabled: 'disabled="true"',
      checked: 'checked="true"',
    },
    lineHeight: {
      small: 'var(--size-line-small)',
      base: 'var(--size-line)',
      heading: 'var(--size-line-heading)',
    },
    borderRadius: {
      DEFAULT: 'var(--size-radius)',
      small: '4px',
      large: 'var(--size-radius-large)',
      full: '50%',
    },
    fontFamily: { mono: 'var(--font-mono)' },
  },
  shortcuts: {
    mono: 'font-mono text-small',
    // What stands above a field or a column of fields.
    caption: 'text-muted text-small font-500 lh-small',
    // The small tables within a deployment's page.
    'td-plain': 'pr-3 pl-0 hairline-b text-left wrap-anywhere',
    'th-plain': 'td-plain text-muted text-small font-500',
    // A word about a deployment or an environment, such as "rolling out", on its own background.
    'word-chip':
      'px-6px rounded-small text-small font-400 lh-18px whitespace-nowrap forced:hairline-CanvasText',
    // Beside the name of a deployment that the service no longer has.
    'gone-chip': 'flex-none px-6px hairline-field rounded-small text-muted text-small',
    'own-label':
      'inline-flex flex-none items-center gap-2px max-w-160px px-6px rounded-9px bg-accent-soft text-accent-text text-small font-400 lh-18px forced:hairline-CanvasText',
    // The paragraphs and fields of a dialog that asks a question.
    'dialog-text': 'flex flex-col gap-3 wrap-anywhere',
    // Terms beside what is said of them.
    terms:
      'grid [grid-template-columns:max-content_1fr] gap-x-4 [&>dt]:text-muted [&>dd]:min-w-0 [&>dd]:wrap-anywhere',
    // The label around a checkbox.
    check: 'flex items-center gap-2',
    // A list in a dialog. Each item has its buttons after its name.
    'dialog-list':
      'flex flex-col list-none [&>li]:flex [&>li]:items-center [&>li]:gap-2 [&>li]:py-2 [&>li]:hairline-b',
  },
  rules: [
    ['hairline-0', { border: '0' }, first],
    [
      /^hairline(?:-([trbl]))?(?:-(\D.*))?$/,
      ([, side = '', colour = 'border']) =>
        colours[colour] ? { [`border${sides[side] ?? ''}`]: `1px solid ${colours[colour]}` } : undefined,
      first,
    ],
    ['bg-none', { background: 'none' }, first],
    ['font-inherit', { font: 'inherit' }, first],
    ['outline-none', { outline: 'none' }, first],
    [
      /^ring-(.+)$/,
      ([, colour = '']) => (colours[colour] ? { outline: `2px solid ${colours[colour]}` } : undefined),
      first,
    ],
    [
      /^text-(small|base|large|heading)$/,
      ([, size]) => ({ 'font-size': `var(--size-text${size === 'base' ? '' : `-${size}`})` }),
    ],
    [
      /^(text|bg|fill)-([a-z-]+|[A-Z]\w+)$/,
      ([, what = '', colour = '']) =>
        colours[colour]
          ? { [{ text: 'color', bg: 'background-color' }[what] ?? what]: colours[colour] }
          : undefined,
    ],
    [
      /^border(?:-([trbl]))?-([a-z-]+|[A-Z]\w+)$/,
      ([, side = '', colour = '']) =>
        colours[colour] ? { [`border${sides[side] ?? ''}-color`]: colours[colour] } : undefined,
    ],
    ['wrap-anywhere', { 'overflow-wrap': 'anywhere' }],
    [
      'visually-hidden',
      {
        position: 'absolute',
        width: '1px',
        height: '1px',
        margin: '-1px',
        overflow: 'hidden',
        'clip-path': 'inset(50%)',
        'white-space': 'nowrap',
      },
    ],
    ['list-none', { 'list-style': 'none' }],
    ['shadow', { 'box-shadow': 'var(--shadow)' }],
    ['rotate-90', { transform: 'rotate(90deg)' }],
    ['tabular-nums', { 'font-variant-numeric': 'tabular-nums' }],
    ['forced-color-adjust-none', { 'forced-color-adjust': 'none' }],
    [
      /^line-clamp-(\d)$/,
      ([, lines]) => ({
        display: '-webkit-box',
        overflow: 'hidden',
        '-webkit-box-orient': 'vertical',
        '-webkit-line-clamp': lines,
      }),
    ],
  ],
  variants: [
    // Forced colours, such as a contrast theme of Windows.
    (name) =>
      name.startsWith('forced:')
        ? {
            matcher: name.slice(7),
            handle: (input, next) => next({ ...input, parent: '@media (forced-colors: active)' }),
          }
        : undefined,
    // A narrow or a low window: up to so many pixels.
    (name) => {
      const [prefix, side, pixels] = /^(narrow|low)-(\d+):/.exec(name) ?? []
      if (prefix === undefined) return undefined
      const parent = `@media (max-${side === 'narrow' ? 'width' : 'height'}: ${pixels}px)`
      return { matcher: name.slice(prefix.length), handle: (input, next) => next({ ...input, parent }) }
    },
  ],
})
