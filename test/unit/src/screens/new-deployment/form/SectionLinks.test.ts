import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { defineComponent, h } from 'vue'
import { type FormContext, provideForm } from '@/screens/new-deployment/form/form-context'
import SectionLinks from '@/screens/new-deployment/form/SectionLinks.vue'

it('links to sections, and says how many errors each has', async () => {
  const gone: string[] = []
  const errorCount = ([member]: readonly unknown[]): number => (member === 'secrets' ? 2 : 0)
  const form = mount(
    defineComponent({
      setup() {
        provideForm({ errorCount } as unknown as FormContext)
        return () =>
          h(SectionLinks, { names: ['deployment', 'secrets'], onGo: (name: string) => void gone.push(name) })
      },
    }),
  )
  const buttons = form.findAll('button')
  expect(buttons.map((button) => button.text())).toEqual(['Deployment', 'Secrets'])
  expect(buttons.map((button) => button.attributes('aria-label'))).toEqual([undefined, 'Secrets, 2 errors'])
  for (const button of buttons) await button.trigger('click')
  expect(gone).toEqual(['deployment', 'secrets'])
})
