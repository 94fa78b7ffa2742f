import { buttonDark, commonDark, createTheme, type GlobalThemeOverrides, inputDark } from 'naive-ui'
import { type Appearance, cssVariables, meanings, neutrals, sizes, type Tones } from './tokens'
import type { EnvironmentColour } from '@contract'
import { computed, type Ref, watchEffect } from 'vue'
import { useMediaQuery } from '@vueuse/core'

const px = (name: keyof typeof sizes): string => `${sizes[name]}px`

/** naive-ui's theme of buttons and inputs, built from our tokens. */
function naiveOverrides(appearance: Appearance): GlobalThemeOverrides {
  const neutral = neutrals[appearance]
  const { accent: main, danger, warning } = meanings[appearance]
  const ring = `0 0 0 1px ${main.mark}`
  return {
    common: {
      fontSizeSmall: px('text'),
      fontSizeMedium: px('text'),
      heightTiny: '24px',
      heightMedium: px('control'),
      borderRadius: px('radius'),
      // The text of a coloured button.
      baseColor: main.onSolid,
      inputColor: neutral.surface,
      inputColorDisabled: neutral.sunken,
      borderColor: neutral.border,
      textColor2: neutral.text,
      placeholderColor: neutral.textFaint,
      placeholderColorDisabled: neutral.textDisabled,
      scrollbarColor: neutral.borderField,
      ...meaning('primary', main),
      ...meaning('warning', warning),
      ...meaning('error', danger),
    },
    Button: {
      fontWeight: '500',
      paddingMedium: '0 12px',
      border: `1px solid ${neutral.borderField}`,
      borderHover: `1px solid ${neutral.borderFieldHover}`,
      borderPressed: `1px solid ${neutral.borderFieldHover}`,
      borderFocus: `1px solid ${neutral.borderFieldHover}`,
      textColorHover: neutral.text,
      textColorPressed: neutral.text,
      textColorFocus: neutral.text,
      colorHover: neutral.hover,
      colorPressed: neutral.pressed,
      opacityDisabled: '1',
      textColorDisabled: neutral.textDisabled,
      colorDisabled: neutral.surface,
      textColorDisabledPrimary: neutral.textFaint,
      colorDisabledPrimary: neutral.pressed,
      borderDisabledPrimary: `1px solid ${neutral.pressed}`,
      textColorDisabledError: neutral.textFaint,
      colorDisabledError: neutral.pressed,
      borderDisabledError: `1px solid ${neutral.pressed}`,
      rippleDuration: '0s',
    },
    Input: {
      border: `1px solid ${neutral.borderField}`,
      borderHover: `1px solid ${neutral.borderFieldHover}`,
      borderFocus: `1px solid ${main.mark}`,
      borderDisabled: `1px solid ${neutral.border}`,
      boxShadowFocus: ring,
      colorFocus: neutral.surface,
      textColorDisabled: neutral.textMuted,
      paddingSmall: '0 8px',
      paddingMedium: '0 10px',
    },
  }
}

function meaning(name: 'primary' | 'warning' | 'error', tones: Tones): Record<string, string> {
  return {
    [`${name}Color`]: tones.solid,
    [`${name}ColorHover`]: tones.solidHover,
    [`${name}ColorPressed`]: tones.solidPressed,
  }
}

/** naive-ui's dark theme for the components in use. Its "darkTheme" would load the themes of all others too. */
const darkTheme = {
  ...createTheme([buttonDark, inputDark]),
  name: 'dark',
  common: commonDark,
}

/** Follows the system's light or dark mode and the environment's colour, and updates the page's CSS variables. */
export function useTheme(colour: Ref<EnvironmentColour>) {
  const isDark = useMediaQuery('(prefers-color-scheme: dark)')
  const appearance = computed(() => (isDark.value ? 'dark' : 'light'))

  watchEffect(() => {
    const root = document.documentElement
    root.dataset.appearance = appearance.value
    for (const [name, value] of Object.entries(cssVariables(appearance.value, colour.value))) {
      root.style.setProperty(name, value)
    }
  })

  return {
    theme: computed(() => (isDark.value ? darkTheme : null)),
    overrides: computed(() => naiveOverrides(appearance.value)),
  }
}
