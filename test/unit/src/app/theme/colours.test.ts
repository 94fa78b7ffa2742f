import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type Appearance,
  environmentTones,
  type Meaning,
  meanings,
  neutrals,
  sizes,
  syntax,
} from '@/app/theme/tokens'
import { environmentColours } from '@contract'

/** Red, green and blue as light: linear, 0 to 1. */
type Light = [number, number, number]

/** The light of a colour (#rrggbb), after IEC 61966-2-1. */
function lightOf(colour: string): Light {
  return [1, 3, 5].map((start) => {
    const part = parseInt(colour.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as Light
}

const sum = (row: Light, [r, g, b]: Light): number => row[0] * r + row[1] * g + row[2] * b

/** Contrast of two colours (#rrggbb) as WCAG 2 defines it: 1 to 21. */
function contrast(one: string, other: string): number {
  const [high, low] = [one, other]
    .map((colour) => sum([0.2126, 0.7152, 0.0722], lightOf(colour)))
    .sort((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/**
 * How people with each kind of colour blindness see light, after Machado, Oliveira and Fernandes, "A
 * Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), at its full severity.
 */
const visions = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const satisfies Record<string, readonly (readonly [number, number, number])[]>

type Vision = keyof typeof visions

/** A colour (#rrggbb) as it is seen, in Oklab (Ottosson 2020), where equal distances look equally far apart. */
function seen(colour: string, vision: Vision): Light {
  const light = lightOf(colour)
  const met = visions[vision].map((row) => Math.min(1, Math.max(0, sum([...row], light)))) as Light
  const cones = [
    Math.cbrt(sum([0.4122214708, 0.5363325363, 0.0514459929], met)),
    Math.cbrt(sum([0.2119034982, 0.6806995451, 0.1073969566], met)),
    Math.cbrt(sum([0.0883024619, 0.2817188376, 0.6299787005], met)),
  ] as Light
  return [
    sum([0.2104542553, 0.793617785, -0.0040720468], cones),
    sum([1.9779984951, -2.428592205, 0.4505937099], cones),
    sum([0.0259040371, 0.7827717662, -0.808675766], cones),
  ]
}

/**
 * How far apart two colours are seen, as a distance in Oklab: black and white are 1 apart, 0.02 can just be noticed.
 */
function distance(one: string, other: string, vision: Vision): number {
  const [a, b] = [seen(one, vision), seen(other, vision)]
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
}

describe('tokens', () => {
  const appearances: Appearance[] = ['light', 'dark']
  const everyMeaning = Object.keys(meanings.light) as Meaning[]

  describe.each(appearances)('%s', (appearance) => {
    const neutral = neutrals[appearance]
    const surfaces = [neutral.canvas, neutral.rail, neutral.raised, neutral.sunken, neutral.hover]

    it('has readable text on every surface', () => {
      for (const surface of surfaces) {
        const coloured = Object.values(syntax[appearance])
        for (const text of [neutral.text, neutral.textMuted, neutral.textFaint, ...coloured]) {
          expect(contrast(text, surface)).toBeGreaterThanOrEqual(4.5)
        }
      }
    })

    it('has visible marks and text of rows, whatever else marks the row', () => {
      const { mark, soft } = meanings[appearance].accent
      for (const ground of [neutral.canvas, neutral.hover, neutral.pressed, soft]) {
        expect(contrast(mark, ground)).toBeGreaterThanOrEqual(3)
        expect(contrast(neutral.textFaint, ground)).toBeGreaterThanOrEqual(4.5)
      }
    })

    // Rows of tables, cells of the board and the bands of the chart have them, with texts beside them.
    it.each(['success', 'warning', 'danger'] as const)(
      'has a visible mark of %s, with readable words, on each background of a row, a cell and a chart',
      (name) => {
        const { mark, text } = meanings[appearance][name]
        for (const ground of [...surfaces, neutral.pressed, meanings[appearance].accent.soft]) {
          expect(contrast(mark, ground)).toBeGreaterThanOrEqual(3)
          expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5)
          expect(contrast(neutral.textMuted, ground)).toBeGreaterThanOrEqual(4.5)
        }
      },
    )

    // Each status has a shape and a word as well. A failure alone must stand out to everybody.
    it.each(Object.keys(visions) as Vision[])(
      'distinguishes a failed status from every other with %s vision',
      (vision) => {
        const { danger, success, warning } = meanings[appearance]
        for (const other of [success.mark, warning.mark, neutral.textFaint])
          expect(distance(danger.mark, other, vision)).toBeGreaterThanOrEqual(0.05)
      },
    )

    it.each(everyMeaning)('has readable and visible tones of %s', (name) => {
      const tones = meanings[appearance][name]
      for (const solid of [tones.solid, tones.solidHover, tones.solidPressed]) {
        expect(contrast(tones.onSolid, solid)).toBeGreaterThanOrEqual(4.5)
      }
      for (const surface of [...surfaces, tones.soft]) {
        expect(contrast(tones.text, surface)).toBeGreaterThanOrEqual(4.5)
      }
      expect(contrast(neutral.text, tones.soft)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(tones.mark, neutral.canvas)).toBeGreaterThanOrEqual(3)
    })
  })

  it('shows the skeleton in the colours and widths of the tokens', () => {
    const css = readFileSync('src/app/theme/skeleton.css', 'utf8')
    const [light = '', dark = ''] = css.split('@media')
    const used = (text: string): string[] => text.match(/#[0-9a-f]{6}/g) ?? []
    expect(used(light)).toEqual([
      neutrals.light.canvas,
      neutrals.light.rail,
      neutrals.light.border,
      neutrals.light.textFaint,
    ])
    expect(used(dark)).toEqual([
      neutrals.dark.canvas,
      neutrals.dark.rail,
      neutrals.dark.border,
      neutrals.dark.textFaint,
    ])
    expect(css.match(/(?<=grid-template-columns: )\d+px/g)).toEqual([
      `${sizes.rail}px`,
      `${sizes['rail-narrow']}px`,
    ])
  })
})

describe('colours of environments', () => {
  /** More than three times the smallest noticeable difference. */
  const farApart = 0.07

  /** The pairs of colours that are too close to each other with this vision. */
  const alike = (marks: readonly (readonly [name: string, colour: string])[], vision: Vision): string[] =>
    marks.flatMap(([one, first], index) =>
      marks
        .slice(index + 1)
        .filter(([, second]) => distance(first, second, vision) < farApart)
        .map(([other]) => `${one} and ${other}`),
    )

  describe.each<Appearance>(['light', 'dark'])('an environment colour, %s', (appearance) => {
    const tones = environmentTones[appearance]
    const neutral = neutrals[appearance]
    const surfaces = [
      neutral.canvas,
      neutral.rail,
      neutral.raised,
      neutral.sunken,
      neutral.hover,
      neutral.pressed,
    ]

    it.each(environmentColours)('%s is visible on every surface, with readable letters', (colour) => {
      const { mark, onMark, soft } = tones[colour]
      for (const surface of [...surfaces, soft]) expect(contrast(mark, surface)).toBeGreaterThanOrEqual(3)
      expect(contrast(onMark, mark)).toBeGreaterThanOrEqual(4.5)
      for (const text of [neutral.text, neutral.textMuted]) {
        expect(contrast(text, soft)).toBeGreaterThanOrEqual(4.5)
      }
    })

    it.each(Object.keys(visions) as Vision[])(
      'is distinguishable from every other one and from "failed" with %s vision',
      (vision) => {
        const marks = [
          ['failed', meanings[appearance].danger.mark] as const,
          ...environmentColours.map((colour) => [colour, tones[colour].mark] as const),
        ]
        expect(alike(marks, vision)).toEqual([])
      },
    )
  })
})
