import { deploymentSchema } from '@contract'
import { answerLimits } from '@contract/deployment-api/list/list-limits'
import { summarise } from '@contract/deployment-api/reading/summarise'
import { expect, it } from 'vitest'
import type { Field } from '@/components/deployment/field'
import { newestOf, panelFields, wholeMember } from '@/screens/deployments/panel/panel-fields'
import { summaryOf } from '../../../../../support/builders/deployment-summary'

const long = `registry.example.com/${'x'.repeat(answerLimits.summaryTextLength)}`
const whole = deploymentSchema.parse({
  id: '1',
  name: 'agent',
  status: 'READY',
  source: 'external_docker',
  source_config: { custom_url: 'https://agent.example.com' },
  source_revision_config: { image_uri: long, repo_commit_sha: 'abc' },
  latest_revision_id: 'r1',
  active_revision_id: 'r1',
  updated_at: '2026-11-20T00:00:00Z',
})
const row = summarise(whole)
const of = (fields: Field[], label: string) => fields.find((field) => field.label === label)

it('takes what was read last', () => {
  expect(newestOf(null, null, false)).toBeNull()
  expect(newestOf(row, null, true)).toBe(row)
  const later = { ...row, status: 'AWAITING_DATABASE', latest_revision_id: 'r2' }
  expect(newestOf(later, whole, false)?.status).toBe('READY')
  expect(newestOf(null, whole, false)?.status).toBe('READY')
  const newest = newestOf(later, whole, true)
  expect([newest?.status, newest?.latest_revision_id]).toEqual(['AWAITING_DATABASE', 'r2'])
})

it('takes the complete text if the list has only its beginning, and copies no shortened one', () => {
  expect(row.image_uri).not.toBe(long)
  expect(newestOf(row, whole, true)?.image_uri).toBe(long)
  const image = (shown: typeof row | null, read: typeof whole | null) =>
    of(panelFields(shown!, read), 'Image URI')
  expect(image(row, null)).toEqual({ label: 'Image URI', value: row.image_uri, mono: true })
  expect(image(newestOf(row, whole, true), whole)).toMatchObject({ value: long, copy: 'Copy image URI' })
  const other = { ...row, image_uri: `y${row.image_uri!.slice(1)}` }
  const shown = image(newestOf(other, whole, true), whole)
  expect(shown).toEqual({ label: 'Image URI', value: other.image_uri, mono: true })
})

it('has a complete member if the list has all of it, or it was read', () => {
  expect(wholeMember(row, null, 'name')).toBe('agent')
  expect(wholeMember(row, null, 'image_uri')).toBeNull()
  expect(wholeMember(newestOf(row, whole, true)!, whole, 'image_uri')).toBe(long)
  expect(wholeMember(row, whole, 'repo_url')).toBeNull()
})

it('opens no truncated URL', () => {
  const url = (text: string) => of(panelFields(summaryOf('1', { repo_url: text }), null), 'Repository URL')
  expect(url('https://git.example.com/a')).toMatchObject({ link: true, copy: 'Copy repository URL' })
  const beginning = `https://git.example.com/${'a'.repeat(answerLimits.summaryTextLength)}…`
  expect(url(beginning)).toEqual({ label: 'Repository URL', value: beginning })
})

it('says if the active revision isn’t the latest, and that there is none', () => {
  const revisions = (latest: string | null, active: string | null) => {
    const shown = summaryOf('1', { latest_revision_id: latest, active_revision_id: active })
    const fields = panelFields(shown, null)
    return ['Latest revision', 'Active revision'].map((label) => of(fields, label)?.value)
  }
  expect(revisions('r1', 'r1')).toEqual(['r1', 'Same as latest'])
  expect(revisions('r2', 'r1')).toEqual(['r2', 'r1'])
  expect(revisions('r1', null)).toEqual(['r1', 'None yet'])
  expect(revisions(null, null)).toEqual(['None yet', 'None yet'])
})

it('appends what only the deployment itself has, and no commit of an earlier revision', () => {
  const labels = (fields: Field[]) => fields.map(({ label }) => label)
  const known = labels(panelFields(row, null))
  expect(known).toEqual(['Source', 'Image URI', 'Latest revision', 'Active revision', 'Updated'])
  expect(labels(panelFields(row, whole))).toEqual([...known, 'Commit', 'Custom URL'])
  expect(labels(panelFields({ ...row, latest_revision_id: 'r2' }, whole))).toEqual([...known, 'Custom URL'])
})
