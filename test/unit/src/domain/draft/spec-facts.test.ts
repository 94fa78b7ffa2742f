import { expect, it } from 'vitest'
import { specFacts } from '@/domain/draft/spec-facts'

const shown = (spec: Parameters<typeof specFacts>[0]) =>
  Object.fromEntries(specFacts(spec).map(({ term, text }) => [term, text]))

it('says what a resource spec requests, by workload and by name', () => {
  expect(
    shown({
      min_scale: 1,
      memory_mb: 512,
      queue_cpu: 0.5,
      db_storage_gi: 10,
      volumes: [{ name: 'settings', configMap: {} }, { emptyDir: {} }],
      sidecars: [{ name: 'telemetry' }, { name: 'proxy' }],
    }),
  ).toEqual({
    Resources: 'API: min scale 1, memory 512 MB; Queue: CPU 0.5 cores; Database: storage 10 Gi',
    Volumes: 'settings, 2',
    'Init containers': '',
    Sidecars: 'telemetry, proxy',
  })
})

it('says nothing about one that is empty or missing', () => {
  for (const spec of [{}, null, undefined]) {
    expect(Object.values(shown(spec))).toEqual(['', '', '', ''])
  }
})
