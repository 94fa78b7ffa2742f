import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import CodeEditor from '@/components/code/CodeEditor.vue'
import { requestOf } from '@/domain/draft/draft'
import RequestPreview from '@/screens/new-deployment/request-text/RequestPreview.vue'
import { useDraftsStore } from '@/stores/creation/drafts'
import { startApp } from '../../../../../support/page/start-app'

let wrapper: ReturnType<typeof mount> | undefined

beforeEach(() => {
  startApp()
})

afterEach(() => wrapper?.unmount())

it.each(['{ "name": ', '{ "name": "typed", "source": "internal_docker" }'])(
  'reports only that a text which the form replaced is not in the form: %s',
  async (typed) => {
    const store = useDraftsStore()
    const entry = store.currentDraft(store.open('a', 'cloud'))
    const mounted = mount(RequestPreview, { props: { request: requestOf(entry.draft), entry } })
    wrapper = mounted
    mounted.getComponent(CodeEditor).vm.$emit('update:modelValue', typed)
    store.set(entry, ['name'], 'from the form')
    await mounted.setProps({ request: requestOf(entry.draft) })
    await nextTick()
    expect(entry.draft.entered.name).toBe('from the form')
    expect(mounted.get('.preview-left').text()).toContain("Your text isn't in the form")
    expect(mounted.text()).not.toMatch(/could(?:n't| not) be read/)
  },
)
