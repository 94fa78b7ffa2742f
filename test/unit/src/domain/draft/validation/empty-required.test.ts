import { expect, it } from 'vitest'
import { type Draft, emptyDraft } from '@/domain/draft/draft'
import { emptyRequired } from '@/domain/draft/validation/empty-required'
import { labelOf } from '@/domain/draft/fields'
import { check } from '@/domain/draft/validation/validate'

const labels = (draft: Draft): string[] => emptyRequired(draft, check(draft, 'cloud')).map(labelOf).sort()

it('names what a repository needs, as the form does, and not what is merely usual', () => {
  const draft = emptyDraft('cloud')
  expect(labels(draft)).toEqual(['Config path', 'Git ref', 'Integration ID', 'Name', 'Repository URL'])
  draft.entered.name = 'Wrong but there'
  draft.entered.source_config = { integration_id: 'wrong but there', repo_url: 'https://a.example/b' }
  draft.entered.source_revision_config = { repo_ref: '', graph_config_path: null }
  expect(labels(draft)).toEqual(['Config path', 'Git ref'])
})

it('names an image and the names of secrets, and no resource spec that may be empty', () => {
  const draft = emptyDraft('self-hosted')
  draft.entered.secrets = [
    { name: 'A', value: '' },
    { name: '', value: 'b' },
  ]
  const found = emptyRequired(draft, check(draft, 'self-hosted')).map(labelOf)
  expect([...found].sort()).toEqual(['Image URI', 'Name', 'Secret 2, name'])
})
