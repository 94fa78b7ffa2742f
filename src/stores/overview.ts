import type { CallOutput } from '@contract'
import { defineStore } from 'pinia'
import { shallowRef, watch } from 'vue'
import { call, on } from '@/api'
import type { LeftRow } from '@/composables/list-position'
import { useAppStore } from './application/app'
import { createEnvironmentReads } from './environment-reads'

export type EnvironmentOverview = CallOutput<'overview.read'>[number]

/**
 * What is known about every environment, from the caches and the journal. It is kept up to date while the screen is
 * open.
 */
export const useOverviewStore = defineStore('overview', () => {
  const app = useAppStore()
  const { byId, failure, loading, want, wantAll, open, close } = createEnvironmentReads((environmentIds) =>
    call('overview.read', { environmentIds }, { quiet: true }),
  )

  /**
   * The row that had the focus when the Overview was left, and which of its links and buttons had it; null for none.
   */
  const left = shallowRef<LeftRow | null>(null)

  watch(
    () => app.connection?.state,
    () => {
      if (app.currentEnvironmentId !== null) want([app.currentEnvironmentId])
    },
  )
  on('sync.changed', ({ environmentId, progress }) => {
    if (!progress) want([environmentId])
  })
  on('journal.changed', ({ environmentId, kind }) => {
    if (kind === 'failure' && environmentId !== '') want([environmentId])
  })

  return { byId, failure, loading, load: wantAll, left, open, close }
})
