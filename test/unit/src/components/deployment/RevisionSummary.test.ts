import { type Deployment, deploymentSchema } from '@contract'
import { mount } from '@vue/test-utils'
import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import RevisionSummary from '@/components/deployment/RevisionSummary.vue'
import { useDeploymentStore } from '@/stores/deployment-detail/deployment'
import { useSeenChangesStore } from '@/stores/deployment-detail/seen-changes'
import { useSeenRevisionsStore } from '@/stores/deployment-detail/seen-revisions'
import { deploymentDetail } from '../../../../support/builders/deployment-answers'
import { startApp } from '../../../../support/page/start-app'

const first = '11111111-0000-4000-8000-000000000001'
const second = '22222222-0000-4000-8000-000000000002'

const deploymentWith = (latest: string | null, active: string | null, image = 'agent:1'): Deployment =>
  deploymentSchema.parse({
    id: 'd',
    name: 'agent',
    latest_revision_id: latest,
    active_revision_id: active,
    updated_at: '2026-11-01T00:00:00Z',
    source_revision_config: { image_uri: image },
  })

const cards = (deployment: Deployment) =>
  mount(RevisionSummary, { props: { deployment } })
    .findAll('section')
    .map((card) => card.text())

/** Reads the deployment as its page does. */
async function read(deployment: Deployment, at: string): Promise<void> {
  const opened = useDeploymentStore()
  opened.detail = deploymentDetail(deployment, { fetchedAt: at })
  await nextTick()
}

beforeEach(() => {
  startApp()
})

it('shows one card if the latest revision is active, with its source to copy', () => {
  const deployment = deploymentWith(first, first)
  const summary = mount(RevisionSummary, { props: { deployment } })
  expect(summary.findAll('section')).toHaveLength(1)
  expect(summary.text()).toContain('Latest revisionactive')
  expect(summary.get(`[title="${first}"]`).text()).toBe(first)
  expect(summary.text()).toContain('agent:1')
  expect(summary.text()).toContain('Deployment updated')
  expect(summary.find('[aria-label="Copy image URI"]').exists()).toBe(true)
})

it('says what the active revision runs, and since when each exists, if that was seen', async () => {
  useSeenRevisionsStore()
  useSeenChangesStore()
  await read(deploymentWith(first, null), '2026-11-21T10:00:00Z')
  await read(deploymentWith(first, first), '2026-11-21T10:01:00Z')
  const rollingOut = deploymentWith(second, first, 'agent:2')
  await read(rollingOut, '2026-11-21T10:02:00Z')
  const [active, latest] = cards(rollingOut)
  expect(active).toContain('agent:1')
  expect(active).toContain('Last seen as latest')
  expect(active).toContain('First seen active')
  expect(latest).toContain('agent:2')
  expect(latest).toContain('First seen as latest')
  expect(latest).not.toContain('Deployment updated')
})
