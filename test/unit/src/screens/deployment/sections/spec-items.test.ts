import { expect, it } from 'vitest'
import { specItems } from '@/screens/deployment/sections/spec-items'

const labels = (list: unknown) =>
  specItems(list).map(({ title, fields }) => [title, fields.map(({ label }) => label)])

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

it('shows what a service answers beyond the interface', () => {
  expect(labels([{ name: '', image: 'a', gpu_count: 2 }, 'text', null])).toEqual([
    ['1', ['Image', 'name', 'gpu_count']],
    ['2', ['Value']],
    ['3', ['Value']],
  ])
  expect(labels({ name: 'alone', subPath: 'x' })).toEqual([['alone', ['Sub path']]])
})
