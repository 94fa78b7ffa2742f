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
