import { compare } from '@domain/compare/compare'
import { readSide, type Side } from '@domain/compare/side'
import { fieldLabel } from '@domain/compare/text'
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
})
