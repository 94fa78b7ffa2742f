import { onScopeDispose, shallowRef, type ShallowRef, watch } from 'vue'
import { call } from '@/api'
import { useSyncStore } from '@/stores/application/sync'
import type { DraftFinding } from '@/domain/draft/finding'

/** How long typing must pause before the cache is searched, in milliseconds. */
const pauseMs = 300

/** How many deployments with the name are read, including those that are gone. */
const limit = 50

const finding: DraftFinding = {
  severity: 'warning',
  level: 'required',
  path: ['name'],
  message: 'A deployment with this name is in the cache. Choose another name.',
}

/** Warns if a cached deployment of the environment has the name, which services then refuse. */
export function useNameCheck(name: () => string, environmentId: string): ShallowRef<DraftFinding | null> {
  const sync = useSyncStore()
  const found = shallowRef<DraftFinding | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined

  async function look(wanted: string): Promise<void> {
    const query = { name: wanted, sort: { by: 'created_at' as const, descending: true } }
    const request = { query, offset: 0, limit, snapshot: null }
    const outcome = await call('cache.page', { environmentId, request }, { quiet: true })
    if (wanted !== name() || !outcome.ok) return
    const isTaken = outcome.value.deployments.some(({ gone_at }) => gone_at === null)
    found.value = isTaken ? finding : null
  }

  watch(
    name,
    (now) => {
      clearTimeout(timer)
      found.value = null
      if (now !== '') timer = setTimeout(() => void look(now), pauseMs)
    },
    { immediate: true },
  )
  // The cache may have got it only now.
  watch(
    () => sync.ended,
    () => name() !== '' && void look(name()),
  )
  onScopeDispose(() => clearTimeout(timer))
  return found
}
