import { compare } from '@domain/compare/compare'
import { readSide, type Side } from '@domain/compare/side'
import { fieldLabel } from '@domain/compare/text'
import { memberLabels } from '@domain/labels/member-labels'
import { pathLabel } from '@domain/labels/path-label'
import { describe, expect, it } from 'vitest'
import { changesBetween } from '../../../../../electron/cache/store/history/changes-between'

const spec = (members: object): object => ({ source_config: { resource_spec: members } })

describe('the label of a changed member', () => {
  it.each([
    [{ source_config: { repo_url: 'a' } }, { source_config: { repo_url: 'b' } }],
    [
      { source_config: { listener_config: { k8s_namespace: 'a' } } },
      { source_config: { listener_config: { k8s_namespace: 'b' } } },
    ],
    [
      spec({ sidecars: [{ name: 'proxy.1', image: 'a' }] }),
      spec({ sidecars: [{ name: 'proxy.1', image: 'b' }] }),
    ],
    [
      spec({ sidecars: [{ name: 'a]b', env: [{ name: 'LOG', value: 'a' }] }] }),
      spec({ sidecars: [{ name: 'a]b', env: [{ name: 'LOG', value: 'b' }] }] }),
    ],
    [
      spec({ init_containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }] }),
      spec({ init_containers: [{ name: 'a', resources: { limits: { cpu: '2' } } }] }),
    ],
    [spec({ gpu_count: 1 }), spec({ gpu_count: 2 })],
    [{ source_config: { novel: 1 } }, { source_config: { novel: 2 } }],
  ])('is that of the comparison: %j', (before, after) => {
    const side = (document: object): Side => readSide(document, { kind: 'answer', environmentId: 'a' })!
    const differing = compare(side(before), side(after)).filter(({ outcome }) => outcome !== 'same')
    const changed = changesBetween(before, after).map(({ member }) => pathLabel(member!))
    expect(changed).toEqual(differing.map(fieldLabel))
  })

  it('names the workload of a number, which comparisons have as a heading', () => {
    expect(pathLabel('source_config.resource_spec.memory_limit_mb')).toBe('API memory limit')
  })

  it('keeps names that people chose, whatever they contain', () => {
    const inside = (path: string): string => pathLabel(`source_config.resource_spec.${path}`)
    expect(inside('annotations.example.com/a[b].c')).toBe('Annotations, example.com/a[b].c')
    expect(inside('labels.__proto__')).toBe('Labels, __proto__')
    expect(inside('sidecars[].image')).toBe('Sidecar , Image')
    expect(inside('sidecars[a')).toBe('Sidecars, [a')
    expect(inside('__proto__.constructor')).toBe('__proto__, constructor')
    for (const path of ['', '.', '[', 'constructor', 'toString', '__proto__', 'source_config.', 'name.x'])
      expect(pathLabel(path)).toBe(path)
  })

  it('exists for every member that has one', () => {
    for (const [path, label] of Object.entries(memberLabels)) expect(pathLabel(path)).toBe(label)
  })
})
