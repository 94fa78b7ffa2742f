import { mount } from '@vue/test-utils'
import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { announcement } from '@/app/window'
import ColumnsMenu from '@/features/list/ColumnsMenu.vue'
import { useChoicesStore } from '@/app/stores/choices'
import { useColumnsStore } from '@/features/list/deployment-columns'
import { startApp } from '../../../support/page/start-app'

let wrapper: ReturnType<typeof mount<typeof ColumnsMenu>>

beforeEach(async () => {
  startApp()
  wrapper = mount(ColumnsMenu, { props: { showLabel: true }, attachTo: document.body })
  await wrapper.get('button').trigger('click')
  await nextTick()
})

it('says that a column without room can’t change its width', async () => {
  useColumnsStore().crowded = ['source']
  await nextTick()
  const source = [...document.querySelectorAll<HTMLElement>('[role="menuitemcheckbox"]')].find(
    ({ textContent }) => textContent.trim() === 'Source (no room)',
  )!
  source.focus()
  source.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true, bubbles: true }))
  expect(announcement.value).toBe('Source: no room')
  expect(useChoicesStore().columns).toEqual([])
})
