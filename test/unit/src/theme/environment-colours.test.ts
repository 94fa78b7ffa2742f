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

describe('the simulation', () => {
  it('finds similar colours: a dark red and a pink like "failed", and green and brown without green cones', () => {
    expect(
      alike(
        [
          ['failed', '#c93434'],
          ['red', '#b3262e'],
          ['blue', '#1535aa'],
        ],
        'usual',
      ),
    ).toEqual(['failed and red'])
    const greenAndBrown = [
      ['green', '#4f7a1f'],
      ['brown', '#8a6a1c'],
    ] as const
    expect(alike(greenAndBrown, 'usual')).toEqual([])
    expect(alike(greenAndBrown, 'deuteranopia')).toEqual(['green and brown'])
  })

  it.each(Object.keys(visions) as Vision[])(
    'leaves black, white and greys unchanged with %s vision',
    (vision) => {
      expect(distance('#000000', '#ffffff', vision)).toBeCloseTo(1, 2)
      expect(distance('#808080', '#808080', 'usual')).toBe(0)
    },
  )

  it('measures contrast as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
    expect(contrast('#777777', '#ffffff')).toBeLessThan(4.5)
  })
})

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
