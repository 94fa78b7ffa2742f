import { mount, type VueWrapper } from '@vue/test-utils'
import { afterEach, expect, it } from 'vitest'
import { h } from 'vue'
import { samePath } from '@/domain/text/json-path'
import SecretsEntry from '@/screens/new-deployment/fields/SecretsEntry.vue'
import { provideForm } from '@/screens/new-deployment/form/form-context'
import type { DraftEntry } from '@/stores/creation/draft-entry'

let wrapper: VueWrapper | undefined
afterEach(() => wrapper?.unmount())

it('shows an error about all secrets together below them', () => {
  const form = {
    setup() {
      provideForm({
        entry: {} as DraftEntry,
        attempts: () => 1,
        valueAt: () => [],
        set: () => {},
        touch: () => {},
        errorAt: () => null,
        errorOf: (path) => (samePath(path, ['secrets']) ? 'Use at most 1,000 secrets.' : null),
        warningAt: () => null,
        errorCount: () => 1,
      })
      return () => h(SecretsEntry)
    },
  }
  wrapper = mount(form, { attachTo: document.body })
  expect(wrapper.text()).toContain('Use at most 1,000 secrets.')
})
