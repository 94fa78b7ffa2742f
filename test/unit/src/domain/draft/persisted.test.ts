import { secretMark } from '@contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { copiedDraft } from '@/domain/draft/copy-to-environment'
import { check, isError } from '@/domain/draft/validate'
import { draftOf, emptyDraft } from '@/domain/draft/draft'
import { contentOf, draftOfContent, templateContent } from '@/domain/draft/persisted'
import { createRequests } from '../../../../support/properties/arbitraries'

describe('the stored content of a draft', () => {
  it('returns the same draft', () => {
    fc.assert(
      fc.property(createRequests, (request) => {
        const draft = draftOf(request)
        const content = JSON.parse(JSON.stringify(contentOf(draft))) as ReturnType<typeof contentOf>
        expect(draftOfContent(content)).toEqual(draft)
      }),
    )
  })
})

it('a template has nothing that belongs to one deployment', () => {
  const draft = emptyDraft('cloud')
  draft.entered.name = 'agent'
  draft.entered.secrets = [{ name: 'KEY', value: 's3cret' }]
  const content = templateContent(draft)
  expect(content.entered).toMatchObject({ name: '', secrets: [{ name: 'KEY', value: '' }] })
  expect(draft.entered.secrets[0]!.value).toBe('s3cret')
})

describe('a copy for another environment', () => {
  const cloud = { name: 'Production', mode: 'cloud' as const }
  const own = { name: 'Cluster', mode: 'self-hosted' as const }

  it('keeps a source that is not allowed there, and says so', () => {
    const draft = emptyDraft('cloud')
    draft.entered.source_config.integration_id = '0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10'
    draft.entered.secrets = [
      { name: 'KEY', value: 's3cret' },
      { name: 'OLD', value: secretMark('1') },
    ]
    const copy = copiedDraft(draft, cloud, own)
    expect(copy.draft).toEqual(draft)
    expect(copy.draft).not.toBe(draft)
    expect(copy.title).toContain('Production (Cloud)')
    expect(copy.title).toContain('Cluster (Self-hosted)')
    expect(copy.notes.join('\n')).toMatch(/Source: Repository is allowed only in cloud environments/)
    expect(copy.notes.join('\n')).toMatch(/Integration ID: such values belong to one environment/)
    expect(copy.notes.join('\n')).toMatch(
      /Secret values: copied \(KEY, OLD\)\. Slipway asks you before .* to Cluster/,
    )
    expect(check(copy.draft, own.mode).filter(isError)).toMatchObject([
      { path: ['name'] },
      { path: ['source'] },
    ])
  })
})
