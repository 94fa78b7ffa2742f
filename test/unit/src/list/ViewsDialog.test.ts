import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { nextTick } from 'vue'
import ViewsDialog from '@/features/list/ViewsDialog.vue'
import { noFilters } from '@contract/cache/filters'
import { useViewsStore } from '@/features/list/views'
import { settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

const viewOf = (index: number) => ({
  ...{ id: String(index), environmentId: null, name: `View ${index}` },
  filters: noFilters(),
  ...{ source: 'live' as const, sort: null, size: 50 },
})

async function press(text: string): Promise<void> {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('[role=dialog] button')]
  buttons.find(({ textContent }) => textContent.trim() === text)!.click()
  await settled()
}

it('repeats on Retry what failed', async () => {
  const { bridge } = startApp()
  useViewsStore().all = [viewOf(0)]
  mount(ViewsDialog, { attachTo: document.body })
  await nextTick()
  await press('Share')
  await bridge.newest('views.share').fail({ code: 'disk-full', retryable: true })
  await nextTick()
  await press('Retry')
  expect(bridge.callsOf('views.share')).toHaveLength(2)
  await press('Remove')
  await press('Remove')
  await bridge.newest('views.remove').fail({ code: 'disk-full', retryable: true })
  await nextTick()
  await press('Retry')
  expect(bridge.callsOf('views.remove')).toHaveLength(2)
})

it('takes back the views of a file that were just added, but for those that were changed since', async () => {
  const { bridge } = startApp()
  useViewsStore().all = [viewOf(0)]
  mount(ViewsDialog, { attachTo: document.body })
  await nextTick()
  await press('Import')
  const { id: _id, environmentId: _environment, ...content } = viewOf(1)
  await bridge.newest('views.read').answer({ fileName: 'views.json', views: [content, content] })
  await press('Add for all environments')
  const { views } = bridge.newest('views.save').input as { views: { id: string }[] }
  await bridge.newest('views.save').answer([viewOf(0), ...views])
  await nextTick()
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('Added 2 views.')
  const [, replaceAdded] = [...document.querySelectorAll<HTMLButtonElement>('[aria-label^="Replace "]')]
  replaceAdded!.click()
  await settled()
  await bridge.newest('views.save').answer([viewOf(0), ...views])
  await nextTick()
  expect(document.querySelector('[role=dialog]')?.textContent).toContain('Added 1 view.')
  await press('Undo')
  const { ids } = bridge.newest('views.remove').input as { ids: string[] }
  expect(ids).toHaveLength(1)
  expect(views.map(({ id }) => id)).toContain(ids[0])
  await bridge.newest('views.remove').answer([viewOf(0)])
  await nextTick()
  expect(document.querySelector('[role=dialog]')?.textContent).not.toContain('Undo')
})
