import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { naiveOverrides } from '@/theme/naive'
import { type Appearance, type Meaning, meanings, neutrals, sizes, syntax } from '@/theme/tokens'
import { contrast } from '../../../support/colour-vision'

const appearances: Appearance[] = ['light', 'dark']
const everyMeaning = Object.keys(meanings.light) as Meaning[]

describe.each(appearances)('%s', (appearance) => {
  const neutral = neutrals[appearance]
  const surfaces = [neutral.canvas, neutral.rail, neutral.raised, neutral.sunken, neutral.hover]

  it('has text that can be read on every surface', () => {
    for (const surface of surfaces) {
      const coloured = Object.values(syntax[appearance])
      for (const text of [neutral.text, neutral.textMuted, neutral.textFaint, ...coloured]) {
        expect(contrast(text, surface)).toBeGreaterThanOrEqual(4.5)
      }
    }
  })

  it('has marks and text of rows that can be seen whatever else marks the row', () => {
    const { mark, soft } = meanings[appearance].accent
    for (const ground of [neutral.canvas, neutral.hover, neutral.pressed, soft]) {
      expect(contrast(mark, ground)).toBeGreaterThanOrEqual(3)
      expect(contrast(neutral.textFaint, ground)).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('has borders of fields that can be seen', () => {
    expect(contrast(neutral.borderField, neutral.surface)).toBeGreaterThanOrEqual(3)
  })

  it('shows which radio is chosen also where none can be chosen', () => {
    const { dotColorDisabled } = naiveOverrides(appearance).Radio!
    for (const surface of surfaces)
      expect(contrast(String(dotColorDisabled), surface)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(everyMeaning)('has tones of %s that can be read and seen', (name) => {
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
  expect(css.match(/(?<=grid-template-columns: )\d+px/g)).toEqual([
    `${sizes.rail}px`,
    `${sizes['rail-narrow']}px`,
  ])
})
