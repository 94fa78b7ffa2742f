import type { InjectionKey, Ref } from 'vue'

/**
 * The element for lists that open over the page: in the main landmark, or in their dialog, so that screen readers find
 * them near the focus. App.vue and DialogFrame.vue provide it.
 */
export const popupTarget: InjectionKey<Ref<HTMLElement | null>> = Symbol('popup target')
