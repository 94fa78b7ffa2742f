import type { EnvironmentColour } from '@contract'
import type { Appearance } from './tokens'

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
