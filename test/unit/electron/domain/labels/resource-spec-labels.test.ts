import { requestSchemas } from '@contract'
import { numberLabels, specCaption, specLabel } from '@domain/labels/resource-spec-labels'
import { describe, expect, it } from 'vitest'

describe('the names of fields', () => {
  const label = (...path: (string | number)[]) => specLabel(path)

  it('are the group and the field', () => {
    expect(label('memory_limit_mb')).toBe('API memory limit')
    expect(label('queue_cpu')).toBe('Queue CPU')
    expect(label('db_max_connections')).toBe('Database max connections')
    expect(label('volumes', 0, 'configMap')).toBe('Volume 1 configMap')
    expect(label('volume_mounts', 1, 'mountPath')).toBe('Volume mount 2 mount path')
    expect(label('init_containers', 0, 'args', 2)).toBe('Init container 1 argument 3')
    expect(label('sidecars', 1, 'env', 0, 'valueFrom')).toBe('Sidecar 2 variable 1 value source')
    expect(label('sidecars', 1, 'resources', 'limits')).toBe('Sidecar 2 limits')
  })

  it('exist for every number, each different', () => {
    const numbers = Object.entries(requestSchemas.resourceSpec.shape)
      .filter(([, schema]) => schema.safeParse(1).success)
      .map(([name]) => name)
    expect(new Set(numberLabels.keys())).toEqual(new Set(numbers))
    expect(new Set(numberLabels.values()).size).toBe(numbers.length)
  })

  it('are the same in captions, which contain no name of the interface', () => {
    expect(specCaption(['sidecars', 1, 'env', 0, 'valueFrom'])).toBe('Value source')
    expect(specCaption(['volume_mounts', 0, 'name'])).toBe('Volume')
    expect(specCaption(['volumes', 0, 'name'])).toBe('Name')
    expect(specCaption(['volumes', 0, 'emptyDir'])).toBe('emptyDir')
    expect(specCaption(['gpu_count'])).toBe('gpu_count')
    const { resourceSpec, volumeMount } = requestSchemas
    const container = resourceSpec.shape.sidecars.unwrap().unwrap().element
    const members = [
      ...Object.keys(resourceSpec.shape).filter((name) => !numberLabels.has(name)),
      ...Object.keys(volumeMount.shape),
      ...Object.keys(container.shape),
    ]
    for (const member of members) expect(specCaption([member])).toMatch(/^[A-Z][a-z ]*$/)
  })
})
