import type { EnvironmentColour } from '@contract'
import {
  buttonDark,
  checkboxDark,
  commonDark,
  createTheme,
  type GlobalTheme,
  type GlobalThemeOverrides,
  inputDark,
  modalDark,
  popoverDark,
  radioDark,
  switchDark,
} from 'naive-ui'
import { computed, type ComputedRef, onScopeDispose, type Ref, shallowRef, watchEffect } from 'vue'
import { cssVariables } from './css-variables'
import { naiveOverrides } from './naive'
import type { Appearance } from './tokens'

/** naive-ui's dark theme for the components in use. Its "darkTheme" would load the themes of all others too. */
const darkTheme: GlobalTheme = {
  ...createTheme([buttonDark, checkboxDark, inputDark, modalDark, popoverDark, radioDark, switchDark]),
  name: 'dark',
  common: commonDark,
}

/** The theme of NConfigProvider, and the current appearance. */
export interface Theme {
  appearance: Ref<Appearance>
  theme: ComputedRef<GlobalTheme | null>
  overrides: ComputedRef<GlobalThemeOverrides>
}

/** Follows the system's light or dark mode and the environment's colour, and updates the page's CSS variables. */
export function useTheme(colour: Ref<EnvironmentColour>): Theme {
  const query = window.matchMedia('(prefers-color-scheme: dark)')
  const read = (): Appearance => (query.matches ? 'dark' : 'light')
  const appearance = shallowRef<Appearance>(read())
  const follow = (): void => {
    appearance.value = read()
  }
  query.addEventListener('change', follow)
  onScopeDispose(() => query.removeEventListener('change', follow))

  watchEffect(() => {
    const root = document.documentElement
    root.dataset.appearance = appearance.value
    for (const [name, value] of Object.entries(cssVariables(appearance.value, colour.value))) {
      root.style.setProperty(name, value)
    }
  })

  return {
    appearance,
    theme: computed(() => (appearance.value === 'dark' ? darkTheme : null)),
    overrides: computed(() => naiveOverrides(appearance.value)),
  }
}
