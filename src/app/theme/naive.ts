import {
  buttonDark,
  commonDark,
  createTheme,
  type GlobalTheme,
  type GlobalThemeOverrides,
  inputDark,
} from 'naive-ui'
import { type Appearance, cssVariables, fonts, meanings, neutrals, sizes, type Tones } from './tokens'
import type { EnvironmentColour } from '@contract'
import { computed, type ComputedRef, type Ref, watchEffect } from 'vue'
import { useMediaQuery } from '@vueuse/core'

const px = (name: keyof typeof sizes): string => `${sizes[name]}px`

/** naive-ui's theme, built from our tokens. */
function naiveOverrides(appearance: Appearance): GlobalThemeOverrides {
  const neutral = neutrals[appearance]
  const { accent: main, danger, warning, success, info } = meanings[appearance]
  const ring = `0 0 0 1px ${main.mark}`
  return {
    common: {
      fontFamily: fonts.text,
      fontFamilyMono: fonts.mono,
      fontSize: px('text'),
      fontSizeMini: px('text-small'),
      fontSizeTiny: px('text-small'),
      fontSizeSmall: px('text'),
      fontSizeMedium: px('text'),
      fontSizeLarge: px('text-large'),
      heightTiny: '24px',
      heightSmall: px('control-small'),
      heightMedium: px('control'),
      borderRadius: px('radius'),
      borderRadiusSmall: '4px',
      baseColor: neutral.surface,
      bodyColor: neutral.canvas,
      cardColor: neutral.surface,
      tableColor: neutral.surface,
      inputColor: neutral.surface,
      inputColorDisabled: neutral.sunken,
      actionColor: neutral.sunken,
      codeColor: neutral.sunken,
      hoverColor: neutral.hover,
      pressedColor: neutral.pressed,
      dividerColor: neutral.border,
      borderColor: neutral.border,
      textColorBase: neutral.text,
      textColor1: neutral.text,
      textColor2: neutral.text,
      textColor3: neutral.textFaint,
      textColorDisabled: neutral.textDisabled,
      placeholderColor: neutral.textFaint,
      placeholderColorDisabled: neutral.textDisabled,
      iconColor: neutral.textMuted,
      iconColorHover: neutral.text,
      iconColorPressed: neutral.text,
      clearColor: neutral.textFaint,
      clearColorHover: neutral.text,
      clearColorPressed: neutral.text,
      closeIconColor: neutral.textMuted,
      scrollbarColor: neutral.borderField,
      boxShadow1: 'none',
      boxShadow2: neutral.shadow,
      boxShadow3: neutral.shadow,
      ...meaning('primary', main),
      ...meaning('info', info),
      ...meaning('success', success),
      ...meaning('warning', warning),
      ...meaning('error', danger),
    },
    Button: {
      fontWeight: '500',
      paddingMedium: '0 12px',
      paddingSmall: '0 10px',
      border: `1px solid ${neutral.borderField}`,
      borderHover: `1px solid ${neutral.borderFieldHover}`,
      borderPressed: `1px solid ${neutral.borderFieldHover}`,
      borderFocus: `1px solid ${neutral.borderFieldHover}`,
      borderDisabled: `1px solid ${neutral.border}`,
      textColor: neutral.text,
      textColorHover: neutral.text,
      textColorPressed: neutral.text,
      textColorFocus: neutral.text,
      colorHover: neutral.hover,
      colorPressed: neutral.pressed,
      textColorPrimary: main.onSolid,
      textColorHoverPrimary: main.onSolid,
      textColorPressedPrimary: main.onSolid,
      textColorFocusPrimary: main.onSolid,
      textColorError: danger.onSolid,
      textColorHoverError: danger.onSolid,
      textColorPressedError: danger.onSolid,
      textColorFocusError: danger.onSolid,
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

type MeaningName = 'primary' | 'info' | 'success' | 'warning' | 'error'

function meaning(name: MeaningName, tones: Tones): Record<string, string> {
  return {
    [`${name}Color`]: tones.solid,
    [`${name}ColorHover`]: tones.solidHover,
    [`${name}ColorPressed`]: tones.solidPressed,
    [`${name}ColorSuppl`]: tones.solid,
  }
}

/** naive-ui's dark theme for the components in use. Its "darkTheme" would load the themes of all others too. */
const darkTheme: GlobalTheme = {
  ...createTheme([buttonDark, inputDark]),
  name: 'dark',
  common: commonDark,
}

/** The theme of NConfigProvider, and the current appearance. */
export interface Theme {
  appearance: ComputedRef<Appearance>
  theme: ComputedRef<GlobalTheme | null>
  overrides: ComputedRef<GlobalThemeOverrides>
}

/** Follows the system's light or dark mode and the environment's colour, and updates the page's CSS variables. */
export function useTheme(colour: Ref<EnvironmentColour>): Theme {
  const isDark = useMediaQuery('(prefers-color-scheme: dark)')
  const appearance = computed<Appearance>(() => (isDark.value ? 'dark' : 'light'))

  watchEffect(() => {
    const root = document.documentElement
    root.dataset.appearance = appearance.value
    for (const [name, value] of Object.entries(cssVariables(appearance.value, colour.value))) {
      root.style.setProperty(name, value)
    }
  })

  return {
    appearance,
    theme: computed(() => (isDark.value ? darkTheme : null)),
    overrides: computed(() => naiveOverrides(appearance.value)),
  }
}
