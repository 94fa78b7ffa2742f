import { readFileSync } from 'node:fs'
import { environmentColours } from '@contract'
import { describe, expect, it } from 'vitest'
import { naiveOverrides } from '@/theme/naive'
import { type Appearance, colours, neutrals } from '@/theme/tokens'

const appearances: Appearance[] = ['light', 'dark']

/** Contrast of two colours (#rrggbb) as WCAG 2 defines it. */
function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((start) => {
    const part = parseInt(colour.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

describe.each(appearances)('%s', (appearance) => {
  const neutral = neutrals[appearance]
  const surfaces = [neutral.canvas, neutral.rail, neutral.raised, neutral.sunken, neutral.hover]

  it('has text that can be read on every surface', () => {
    for (const surface of surfaces) {
      for (const text of [neutral.text, neutral.textMuted, neutral.textFaint]) {
        expect(contrast(text, surface)).toBeGreaterThanOrEqual(4.5)
      }
    }
  })

  it('has borders of fields that can be seen', () => {
    expect(contrast(neutral.borderField, neutral.surface)).toBeGreaterThanOrEqual(3)
  })

  it('shows which radio is chosen also where none can be chosen', () => {
    const { dotColorDisabled } = naiveOverrides(appearance, 'blue').Radio!
    for (const surface of surfaces)
      expect(contrast(String(dotColorDisabled), surface)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(environmentColours)('has tones of %s that can be read and seen', (name) => {
    const tones = colours[appearance][name]
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

it('shows the skeleton in the colours of the tokens', () => {
  const css = readFileSync('src/theme/skeleton.css', 'utf8')
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
})
