import { environmentColours } from '@contract'
import { describe, expect, it } from 'vitest'
import { environmentTones } from '@/theme/environment-colours'
import { type Appearance, meanings, neutrals } from '@/theme/tokens'
import { contrast, distance, type Vision, visions } from '../../../support/colour-vision'

/** More than three times what can just be noticed. */
const farApart = 0.07

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

  it.each(environmentColours)('%s is seen on every surface, with letters that can be read', (colour) => {
    const { mark, onMark, soft } = tones[colour]
    for (const surface of [...surfaces, soft]) expect(contrast(mark, surface)).toBeGreaterThanOrEqual(3)
    expect(contrast(onMark, mark)).toBeGreaterThanOrEqual(4.5)
    for (const text of [neutral.text, neutral.textMuted]) {
      expect(contrast(text, soft)).toBeGreaterThanOrEqual(4.5)
    }
  })

  it.each(Object.keys(visions) as Vision[])(
    'is told from every other one and from "failed" with %s vision',
    (vision) => {
      const marks: [string, string][] = [
        ['failed', meanings[appearance].danger.mark],
        ...environmentColours.map((colour): [string, string] => [colour, tones[colour].mark]),
      ]
      const alike = marks.flatMap(([one, first], index) =>
        marks
          .slice(index + 1)
          .filter(([, second]) => distance(first, second, vision) < farApart)
          .map(([other]) => `${one} and ${other}`),
      )
      expect(alike).toEqual([])
    },
  )
})
