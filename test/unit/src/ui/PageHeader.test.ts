import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { effectScope } from 'vue'
import { headingFocus, useOpenDialog } from '@/app/window'
import PageHeader from '@/ui/widgets/PageHeader.vue'
import { startApp } from '../../../support/page/start-app'

it('takes the focus after a navigation, but not from a dialog that was opened meanwhile', () => {
  startApp()
  const show = () => {
    headingFocus.wanted = true
    const header = mount(PageHeader, { props: { title: 'Activity' }, attachTo: document.body })
    const hasFocus = document.activeElement === header.get('h1').element
    header.unmount()
    return hasFocus
  }
  expect(show()).toBe(true)
  const scope = effectScope()
  scope.run(useOpenDialog)
  expect(show()).toBe(false)
  scope.stop()
  expect(show()).toBe(true)
})
