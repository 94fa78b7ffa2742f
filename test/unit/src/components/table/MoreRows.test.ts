import { enableAutoUnmount, mount } from '@vue/test-utils'
import { afterEach, expect, it } from 'vitest'
import { defineComponent, ref } from 'vue'
import MoreRows from '@/components/table/MoreRows.vue'

enableAutoUnmount(afterEach)

/** The current row is always drawn, as that of an environment is. */
const parts = `
  <li v-for="row in Math.min(max, total)" :key="row"><button>{{ row }}</button></li>
  <li><button>Current</button></li>`
const button = `<MoreRows v-model="max" :total="total" />`

it.each([
  ['in the list', `<ul>${parts}<li v-if="total > max">${button}</li></ul>`],
  ['below it', `<ul>${parts}</ul>${button}`],
])(
  'a button %s that disappears with the last rows moves the focus to the first row that it drew',
  async (_case, list) => {
    const listOf = (total: number) =>
      defineComponent({
        components: { MoreRows },
        setup: () => ({ total, max: ref(50) }),
        template: `<button>Above</button>${list}<button>Below</button>`,
      })
    const more = mount(listOf(110), { attachTo: document.body })
    const focused = (): string => document.activeElement?.textContent ?? ''
    const press = async (text: string): Promise<void> => {
      const found = more.findAll('button').find((one) => one.text() === text)!
      found.element.focus()
      await found.trigger('click')
    }
    await press('Show 50 of 60 more')
    expect(focused()).toBe('Show 10 more')
    await press('Show 10 more')
    expect([more.findAll('li').length, focused()]).toEqual([111, '101'])
  },
)
