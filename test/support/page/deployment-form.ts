import { mount } from '@vue/test-utils'
import { vi } from 'vitest'
import { defineComponent } from 'vue'
import { routerKey } from 'vue-router'
import DeploymentForm from '@/screens/new-deployment/DeploymentForm.vue'
import { useAppStore } from '@/stores/application/app'
import { useDraftsStore } from '@/stores/creation/drafts'

/** Replaces the request text, whose editor needs a browser. It has no pending changes. */
const RequestPreview = defineComponent({
  setup: (_props, { expose }) => {
    expose({ settle: () => undefined })
    return () => null
  },
})

/** Shows the form of the draft in view in environment "a". `push` replaces the router's. */
export function showForm(push = vi.fn()) {
  const form = useDraftsStore().open('a', 'cloud')
  const entry = useDraftsStore().currentDraft(form)
  const screen = mount(DeploymentForm, {
    props: { form, entry, mode: 'cloud', environment: useAppStore().environment! },
    global: { stubs: { RouterLink: true, RequestPreview }, provide: { [routerKey as symbol]: { push } } },
    attachTo: document.body,
  })
  return { entry, screen }
}
