import { expect, it } from 'vitest'
import { workloads } from '@/screens/deployment/sections/workloads'

it('reads workloads with their requests and limits, whatever a service answers', () => {
  expect(
    workloads({
      min_scale: 1,
      max_scale: 10,
      cpu: 0.5,
      cpu_limit: '2',
      memory_mb: 1024,
      db_storage_gi: 20,
      redis_cpu: {},
      queue_max_scale: 0,
    }),
  ).toEqual([
    { name: 'API', replicas: '1 to 10', cpu: '0.5, limit 2', memory: '1,024', more: null },
    { name: 'Queue', replicas: 'up to 0', cpu: null, memory: null, more: null },
    { name: 'Database', replicas: null, cpu: null, memory: null, more: '20 Gi storage' },
  ])
})
