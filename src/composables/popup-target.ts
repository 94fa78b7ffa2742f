import type { InjectionKey, Ref } from 'vue'

/**
 * Where lists that open over the page are put: inside the main landmark, or inside the dialog that they belong to,
 * so that screen readers find them where the focus is. Provided by App.vue and DialogFrame.vue.
 */
export const popupTarget: InjectionKey<Ref<HTMLElement | null>> = Symbol('popup target')
