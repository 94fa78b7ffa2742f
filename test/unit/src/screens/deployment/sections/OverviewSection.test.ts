import { deploymentSchema } from '@contract'
import { mount } from '@vue/test-utils'
import { beforeEach, expect, it } from 'vitest'
import OverviewSection from '@/screens/deployment/sections/OverviewSection.vue'
import { startApp } from '../../../../../support/page/start-app'

beforeEach(() => {
  startApp()
})

const shown = (more: object) =>
  mount(OverviewSection, {
    props: { deployment: deploymentSchema.parse({ id: 'd', name: 'agent', ...more }) },
  })

it('shows fields with a value, and names those without one in one line', () => {
  const overview = shown({
    source: 'external_docker',
    source_config: { build_on_push: false, listener_id: '' },
    source_revision_config: { image_uri: 'agent:1' },
    created_at: '2026-11-20T10:00:00Z',
    region: null,
  })
  const terms = overview.findAll('dt').map((term) => term.text())
  expect(terms).toEqual(['Source', 'Build on push', 'ID', 'Created'])
  const names = overview.findAll('details li').map((name) => name.text())
  expect(overview.get('summary').text()).toBe(`${names.length} empty fields`)
  expect(names).toContain('Listener ID')
  expect(names).toContain('Git ref')
  expect(names).toContain('region')
  expect(names).not.toContain('Image URI')
  expect(names).not.toContain('Build on push')
})

it('has no empty group', () => {
  const overview = shown({})
  expect(overview.findAll('h2').map((title) => title.text())).toEqual(['Source', 'Secrets', 'Identifiers'])
})
