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
import { contrast, distance, type Vision, visions } from '../../../../support/page/colour-vision'
import { environmentColours } from '@contract'

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
