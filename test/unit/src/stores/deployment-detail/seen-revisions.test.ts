import { deploymentSchema, type DeploymentDetail } from '@contract'
import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { useDeploymentStore } from '@/stores/deployment-detail/deployment'
import { useSeenRevisionsStore } from '@/stores/deployment-detail/seen-revisions'
import { deploymentDetail } from '../../../../support/builders/deployment-answers'
import { startApp } from '../../../../support/page/start-app'

beforeEach(() => {
  startApp()
})

function detail(latest: string, active: string, image: string, fetchedAt: string): DeploymentDetail {
  const deployment = deploymentSchema.parse({
    ...{ id: '1', name: 'one', source: 'external_docker', status: 'READY', secrets: [] },
    source_config: {},
    source_revision_config: { image_uri: image },
    latest_revision_id: latest,
    active_revision_id: active,
  })
  return deploymentDetail(deployment, { fetchedAt })
}

it('knows what the active revision runs from the time when it was the latest', async () => {
  const opened = useDeploymentStore()
  const store = useSeenRevisionsStore()
  opened.detail = detail('r1', 'r1', 'agent:1', '2026-11-21T10:00:00.000Z')
  await nextTick()
  expect(store.active(opened.detail.deployment)).toBeNull()
  opened.detail = detail('r2', 'r1', 'agent:2', '2026-11-21T11:00:00.000Z')
  await nextTick()
  expect(store.active(opened.detail.deployment)).toEqual({ runs: 'agent:1', at: '2026-11-21T10:00:00.000Z' })
  const other = detail('r9', 'r8', 'agent:9', '2026-11-21T11:00:00.000Z')
  expect(store.active(other.deployment)).toBeNull()
})
