import { environmentColours } from '@contract'
import { describe, expect, it } from 'vitest'
import { environmentTones } from '@/theme/environment-colours'
import { type Appearance, meanings, neutrals } from '@/theme/tokens'
import { contrast, distance, type Vision, visions } from '../../../support/page/colour-vision'

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
