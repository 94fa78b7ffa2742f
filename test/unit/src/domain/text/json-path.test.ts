import { describe, expect, it } from 'vitest'
import { computed, reactive } from 'vue'
import { setValueAt, valueAt } from '@/domain/text/json-path'

describe('setValueAt', () => {
  it('creates the objects and lists on the way', () => {
    const root = {}
    setValueAt(root, ['volumes', 0, 'nfs', 'server'], 'a')
    expect(root).toEqual({ volumes: [{ nfs: { server: 'a' } }] })
  })

  it('replaces what cannot hold the member', () => {
    const root = { list: null, text: 'x' }
    setValueAt(root, ['list', 0], 'a')
    setValueAt(root, ['text', 'inner'], 'b')
    expect(root).toEqual({ list: ['a'], text: { inner: 'b' } })
  })

  it('removes members and items, and with the last member the group that it was in', () => {
    const root = { listener_config: { k8s_namespace: 'a' }, labels: { one: '1' }, list: ['a', 'b'] }
    setValueAt(root, ['listener_config', 'k8s_namespace'], undefined)
    setValueAt(root, ['labels', 'one'], undefined)
    setValueAt(root, ['list', 0], undefined)
    setValueAt(root, ['nothing', 'there'], undefined)
    expect(root).toEqual({ labels: {}, list: ['b'] })
  })
})

describe('valueAt', () => {
  it('returns own members only', () => {
    expect(valueAt({ a: [{ b: 1 }] }, ['a', 0, 'b'])).toBe(1)
    expect(valueAt({}, ['constructor'])).toBeUndefined()
    expect(valueAt([], ['length', 'x'])).toBeUndefined()
  })

  it('lets Vue notice a member that is added later', () => {
    const root = reactive({})
    const value = computed(() => valueAt(root, ['source_config', 'repo_url']))
    const list = computed(() => (valueAt(root, ['list']) as unknown[] | undefined)?.length)
    expect(value.value).toBeUndefined()
    expect(list.value).toBeUndefined()
    setValueAt(root, ['source_config', 'repo_url'], 'x')
    setValueAt(root, ['list', 0], {})
    setValueAt(root, ['list', 1], {})
    expect(value.value).toBe('x')
    expect(list.value).toBe(2)
  })
})
