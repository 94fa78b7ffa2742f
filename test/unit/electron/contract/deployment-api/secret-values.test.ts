import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hiddenValue, withoutSecretValues } from '@contract'

const secret = 'the-secret-value'

/** Any value without names or texts of its own. */
const around = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(secret),
    fc.constantFrom(null, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('value', 'other', 'data', '__proto__'), tie('value')),
  ),
})).value

/** How a service may spell it. */
const spellings = [
  'secrets',
  'Secrets',
  'SECRETS',
  'env_secrets',
  'revisionSecrets',
  'secret-values',
  'sec.rets',
]

describe('values of secrets', () => {
  it('are emptied in everything under "secrets", at any place and in any spelling', () => {
    const parents = fc.array(fc.constantFrom('source_config', 'resource_spec', 'x', '[]', 'JSON'), {
      maxLength: 5,
    })
    fc.assert(
      fc.property(around, parents, fc.constantFrom(...spellings), (value, path, name) => {
        const answered = path.reduceRight<unknown>(
          (inner, member) =>
            member === '[]'
              ? [inner]
              : member === 'JSON'
                ? JSON.stringify(inner)
                : { [member]: inner, id: 'kept' },
          { [name]: value, id: 'kept' },
        )
        const harmless = withoutSecretValues(answered)
        const text = JSON.stringify(harmless)
        expect(text).not.toContain(secret)
        expect(text).toContain('kept')
        // The sent and the answered value are compared in this form, because the service may have emptied the
        // answered one.
        expect(withoutSecretValues(harmless)).toEqual(harmless)
      }),
    )
  })

  it.each([
    ['https://bot:pass@git.example/team/app', 'https://•••@git.example/team/app'],
    ['https://:p:a@ss@git.example:8443/app', 'https://•••@git.example:8443/app'],
    [
      'see git+ssh://a@b:c@d.example?x=1@2, or mail me@e.example',
      'see git+ssh://•••@d.example?x=1@2, or mail me@e.example',
    ],
    [
      '{"url":"https://bot:pass@host","port":"http://host:80"}',
      '{"url":"https://•••@host","port":"http://host:80"}',
    ],
    ['https://ghp_0123456789abcdefghijKLMNOP@git.example/app', 'https://•••@git.example/app'],
    [
      'https://git.example/app?ref=main&access_token=abc&private_token=d#top',
      'https://git.example/app?ref=main&access_token=•••&private_token=•••#top',
    ],
  ])('are replaced where they are credentials of URLs: %s', (text, left) => {
    expect(withoutSecretValues({ source_config: { repo_url: text } })).toEqual({
      source_config: { repo_url: left },
    })
    expect(withoutSecretValues(text)).toBe(left)
  })

  it.each([
    'https://user@git.example:8443/team/app',
    'https://a-team-with-a-long-name-2@git.example/app',
    'https://0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f@git.example/app',
    'curl https://git.example/app?token=$TOKEN&tokens=5',
    'git@git.example:team/app.git',
    'https://git.example/team/app:v1@sha256',
    '{"port":"http://host:80","mail":"me@host"}',
  ])('leave a URL without a password: %s', (text) => {
    expect(withoutSecretValues(text)).toBe(text)
  })

  it('are emptied in members about secrets, whose names and references stay', () => {
    const visible = {
      secret_references: [{ name: 'KEY', secret_name: 'app', secret_key: 'key' }],
      resource_spec: {
        image_pull_secrets: [{ name: 'registry' }],
        volumes: [
          { name: 'v', secret: { secretName: 'tls', items: [{ key: 'crt', path: 'crt', mode: 420 }] } },
        ],
        containers: [
          {
            env: [
              { name: 'EMPTY', value: '' },
              { name: 'T', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } },
            ],
          },
        ],
      },
    }
    expect(withoutSecretValues(visible)).toBe(visible)
    expect(
      withoutSecretValues({
        secret_references: [{ name: 'KEY', secret_key: 'key', value: secret }],
        app_secrets: { A: secret, pin: 1234, on: true, inner: [{ name: 'B', data: secret }] },
        secretValue: secret,
      }),
    ).toEqual({
      secret_references: [
        {
          name: 'KEY',
          secret_key: 'key',
          value: hiddenValue,
        },
      ],
      app_secrets: { A: hiddenValue, pin: hiddenValue, on: true, inner: [{ name: 'B', data: hiddenValue }] },
      secretValue: hiddenValue,
    })
  })

  it.each([
    [
      'a byte order mark',
      `\uFEFF{"secrets":[{"name":"A","value":"${secret}"}]}`,
      '{"secrets":[{"name":"A","value":""}]}',
    ],
  ])('are emptied in a text with %s', (_what, text, left) => {
    expect(withoutSecretValues({ text })).toEqual({ text: left })
  })

  it('are not looked for in freely chosen names, nor in arguments', () => {
    const visible = {
      resource_spec: {
        labels: { 'team.example/uses-secrets': 'yes', token: 'short-lived' },
        annotations: {
          'nginx.ingress.kubernetes.io/auth-secret': 'basic-auth',
          'vault.hashicorp.com/tls-secret': 'vault-ca',
          'vault.hashicorp.com/agent-inject-token': 'true',
          'example.com/retries-of-token': 3,
        },
        volumes: [
          { name: 'c', csi: { driver: 'd', volumeAttributes: { accessKey: 'of-the-store', secret: 's' } } },
        ],
        sidecars: [
          {
            command: ['sh', '-c', `cat <<END\nsecrets: ${secret}\nEND`],
            args: [`secret_value: ${secret}`],
          },
        ],
      },
    }
    expect(withoutSecretValues(visible)).toBe(visible)
  })

  it('are looked for in JSON in a text, under "secrets" anywhere and in containers\' variables', () => {
    expect(
      withoutSecretValues({
        annotations: { applied: `{"secrets":{"A":"${secret}"}}`, secrets: secret, inner: { token: secret } },
        app_secrets: { env: [{ name: 'A', value: secret }], args: [secret], labels: { a: secret } },
        env: { A: secret, PIN: 7 },
        sidecars: [{ env: [{ name: 'A', value: secret }, { name: 'EMPTY', value: '' }, `B=${secret}`] }],
        manifest: `{"containers":[{"env":[{"name":"A","value":"${secret}"}]}]}`,
        args: [{ password: secret }],
      }),
    ).toEqual({
      annotations: {
        applied: '{"secrets":[{"name":"A","value":""}]}',
        secrets: [],
        inner: { token: hiddenValue },
      },
      app_secrets: {
        env: [{ name: 'A', value: hiddenValue }],
        args: [hiddenValue],
        labels: { a: hiddenValue },
      },
      env: { A: hiddenValue, PIN: hiddenValue },
      sidecars: [{ env: [{ name: 'A', value: hiddenValue }, { name: 'EMPTY', value: '' }, hiddenValue] }],
      manifest: '{"containers":[{"env":[{"name":"A","value":"•••"}]}]}',
      args: [{ password: hiddenValue }],
    })
  })
})
