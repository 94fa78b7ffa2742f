import { expect, it } from 'vitest'
import { specItems } from '@/screens/deployment/sections/spec-items'

const labels = (list: unknown, path = ['sidecars']) =>
  specItems(list, path).map(({ title, fields }) => [title, fields.map(({ label }) => label)])

it('names items, and labels their members as the form does', () => {
  expect(
    labels([
      {
        name: 'telemetry',
        args: ['--quiet'],
        image: 'otel:1',
        env: [],
        workingDir: null,
        envFrom: [{ a: 1 }],
      },
      { name: 'scratch', emptyDir: {} },
      { name: 'scratch', mountPath: '/tmp', readOnly: false },
    ]),
  ).toEqual([
    ['telemetry', ['Image', 'Arguments', 'Environment sources']],
    ['scratch', ['emptyDir']],
    ['scratch', ['Mount path', 'Read only']],
  ])
})

it('shows members beyond the interface', () => {
  expect(labels([{ name: '', image: 'a', gpu_count: 2 }, 'text', null])).toEqual([
    ['1', ['Image', 'Name', 'gpu_count']],
    ['2', ['Value']],
    ['3', ['Value']],
  ])
  expect(labels({ name: 'alone', subPath: 'x' })).toEqual([['alone', ['Sub path']]])
})

it('labels nested members as the form does, except freely chosen names', () => {
  const mount = { name: 'settings', mountPath: '/etc', mountPropagation: 'None' }
  const [{ fields }] = specItems(
    [
      {
        env: [],
        volumeMounts: [mount],
        resources: { limits: { memory_mb: 1 } },
        securityContext: { a_b: 1 },
      },
    ],
    ['sidecars'],
  ) as [ReturnType<typeof specItems>[number]]
  const inside = (label: string) => fields.find((field) => field.label === label)?.members
  expect(Object.keys(mount).map((name) => inside('Volume mounts')?.(name).label)).toEqual([
    'Volume',
    'Mount path',
    'Mount propagation',
  ])
  const limits = inside('Resources')?.('limits')
  expect(limits?.label).toBe('Limits')
  expect(limits?.members).toBeUndefined()
  expect(inside('Security context')).toBeUndefined()
})
