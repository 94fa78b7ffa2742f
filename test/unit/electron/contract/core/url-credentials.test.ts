import { replaceUrlCredentials, urlCredentialsIn, urlCredentialTexts } from '@contract'
import { describe, expect, it } from 'vitest'

describe('the credentials in URLs', () => {
  it.each([
    ['https://user:password@host.example/team/agent.git', 'user:password', true],
    ['https://user:p@ss:w@host.example/team', 'user:p@ss:w', true],
    ['https://:secret@host.example/', ':secret', true],
    ['https://oauth2:glpat-abc@gitlab.example.com/team/agent.git', 'oauth2:glpat-abc', true],
    ['https://x-access-token:ghs_abc@github.com/acme/agent', 'x-access-token:ghs_abc', true],
    ['https://ghp_0123456789@github.com/acme/agent', 'ghp_0123456789', true],
    [
      'https://0123456789abcdef0123456789abcdef01234567@github.com/acme',
      '0123456789abcdef0123456789abcdef01234567',
      true,
    ],
    ['https://someone@bitbucket.org/acme/agent.git', 'someone', false],
    ['https://acme@dev.azure.com/acme/project/_git/agent', 'acme', false],
    ['pip install git+https://someone:pw@host.example/lib.git', 'someone:pw', true],
    ['ssh://git:pw@host.example/agent.git', 'git:pw', true],
    ['postgres://u:p@db:5432/app', 'u:p', true],
    ['https://host.example/agent.git?private_token=abc', 'abc', true],
    ['https://host.example/x?a=1&access_token=abc#top', 'abc', true],
  ])('of %s are found, and replaced', (text, credentials, isCertain) => {
    expect(urlCredentialsIn(text)).toEqual([{ text: credentials, isCertain }])
    expect(replaceUrlCredentials(text, () => '…')).toBe(text.replace(credentials, '…'))
  })

  it.each([
    'https://host.example/team/agent.git',
    'ssh://git@host.example:2222/agent.git',
    'git@github.com:acme/agent.git',
    'https://host.example/@scope/agent',
    'https://host.example/agent?ref=main@2',
    'npm install @scope/package@1.0.0',
    'registry.example.com/agent@sha256:0123',
  ])('are none in %s', (text) => {
    expect(urlCredentialsIn(text)).toEqual([])
  })

  it('are kept out of logs and failures whole, and as passwords', () => {
    expect(urlCredentialTexts({ a: [{ repo_url: 'https://user:pw@host.example' }] })).toEqual([
      'user:pw',
      'pw',
    ])
  })
})
