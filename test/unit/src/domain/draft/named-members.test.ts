import fc from 'fast-check'
import { expect, it } from 'vitest'
import { issuesInText } from '@/domain/draft/named-members'

it.each([
  [
    'source_config.repo_url is required for source "repohost". name: Too long.',
    [
      { path: ['source_config', 'repo_url'], message: 'Repository URL is required for source "repohost".' },
      { path: ['name'], message: 'Name: Too long.' },
    ],
  ],
  ['Unknown repo_ref.', [{ path: ['source_revision_config', 'repo_ref'], message: 'Unknown Git ref.' }]],
  [
    'body.secrets.1.name is not allowed',
    [{ path: ['secrets', 1, 'name'], message: 'Secret 2, name is not allowed' }],
  ],
  ['The name of this service is down. See docs.example.com.', []],
])('finds the members that a text names: %s', (text, issues) => {
  expect(issuesInText(text)).toEqual(issues)
})

it('reads any text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const { path, message } of issuesInText(text)) {
        expect(path.length).toBeGreaterThan(0)
        expect(message).not.toBe('')
      }
    }),
  )
})
