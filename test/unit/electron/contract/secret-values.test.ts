import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withoutSecretValues } from '@contract'

const secret = 'the-secret-value'

/** Anything in which nothing is a name or a text but where it is said. */
const around = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(secret),
    fc.constantFrom(null, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('value', 'other', 'data', '__proto__'), tie('value')),
  ),
})).value

/** Ways in which a service may spell it. */
const spellings = [
  'secrets',
  'Secrets',
  'SECRETS',
  'env_secrets',
  'revisionSecrets',
  'secret-values',
  'sec.rets',
  'ｓｅｃｒｅｔｓ',
  'sec\u200brets',
  '\ufeffsecre\u00adts',
]

describe('values of secrets', () => {
  it('are emptied in whatever stands under "secrets", wherever that stands and however it is spelt', () => {
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
        // What was sent and what was answered are compared so: the second may have been emptied by the service.
        expect(withoutSecretValues(harmless)).toEqual(harmless)
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['a list', [{ name: 'A', value: secret, more: secret }], [{ name: 'A', value: '' }]],
    [
      'an object of values by name',
      { A: secret, B: { value: secret } },
      [
        { name: 'A', value: '' },
        { name: 'B', value: '' },
      ],
    ],
    ['a list of lists', [[{ name: 'A', value: secret }]], [{ name: null, value: '' }]],
    ['a list of values', [secret], [{ name: null, value: '' }]],
    ['a text', secret, []],
    ['nothing', null, null],
  ])('leave a list of names: of %s', (_form, secrets, left) => {
    expect(withoutSecretValues({ id: '1', secrets })).toEqual({ id: '1', secrets: left })
  })

  it('are emptied in members about secrets, whose names and references stay', () => {
    const kept = {
      secret_references: [{ name: 'KEY', secret_name: 'app', secret_key: 'key' }],
      resource_spec: {
        image_pull_secrets: [{ name: 'registry' }],
        volumes: [
          { name: 'v', secret: { secretName: 'tls', items: [{ key: 'crt', path: 'crt', mode: 420 }] } },
        ],
        containers: [
          {
            env: [
              { name: 'LOG', value: 'debug' },
              { name: 'T', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } },
            ],
          },
        ],
      },
    }
    expect(withoutSecretValues(kept)).toBe(kept)
    expect(
      withoutSecretValues({
        secret_references: [
          { name: 'KEY', secret_key: 'key', value: secret, resolved: { value: [secret, 7] } },
        ],
        app_secrets: { A: secret, pin: 1234, on: true, inner: [{ name: 'B', data: secret }] },
        secretValue: secret,
      }),
    ).toEqual({
      secret_references: [{ name: 'KEY', secret_key: 'key', value: '', resolved: { value: ['', ''] } }],
      app_secrets: { A: '', pin: '', on: true, inner: [{ name: 'B', data: '' }] },
      secretValue: '',
    })
  })

  it.each([
    [{ secret }, { secret: '' }],
    [
      { oauth: { client_secret: secret, client_id: 'id' } },
      { oauth: { client_secret: '', client_id: 'id' } },
    ],
    [
      { dbPassword: secret, token: 5 },
      { dbPassword: '', token: '' },
    ],
    [{ 'api-key': [secret, { value: secret, name: 'n' }] }, { 'api-key': ['', { value: '', name: 'n' }] }],
    [{ secret: { name: 'n', val: secret, v: 1 } }, { secret: { name: 'n', val: '', v: '' } }],
    [
      { kind: 'Secret', metadata: { name: 'n' }, data: { A: secret }, stringData: { B: secret } },
      { kind: 'Secret', metadata: { name: 'n' }, data: { A: '' }, stringData: { B: '' } },
    ],
  ])('are recognised by the usual names of credentials: %j', (answered, left) => {
    expect(withoutSecretValues(answered)).toEqual(left)
    expect(withoutSecretValues({ text: JSON.stringify(answered) })).toEqual({ text: JSON.stringify(left) })
  })

  it.each([
    [
      'a byte order mark',
      `\uFEFF{"secrets":[{"name":"A","value":"${secret}"}]}`,
      '{"secrets":[{"name":"A","value":""}]}',
    ],
    [
      'a comma too many',
      `{"secrets":[{"name":"A","value":"${secret}"},],}`,
      '{"secrets":[{"name":"A","value":""}]}',
    ],
    ['single quotes', `{'secrets': [{'name': 'A', 'value': '${secret}'}]}`, '•••'],
    ['YAML', `spec:\n  secrets:\n    - name: A\n      value: ${secret}\n`, 'spec:\n•••'],
    ['YAML in a list', `- env_secrets: {A: ${secret}}`, '•••'],
    ['words around JSON', `refused: {"a": 1, "secrets": {"A": "${secret}"}}`, 'refused: {"a": 1•••'],
  ])('are emptied in a text with %s', (_what, text, left) => {
    expect(withoutSecretValues({ text })).toEqual({ text: left })
  })

  it('are not taken for what only speaks of them', () => {
    const kept = {
      texts: [
        'make secrets',
        'echo "$TOKEN" | login',
        '{"a": 1,}',
        'See secrets: nothing',
        '[half',
        'key: value\n',
      ],
      labels: { 'tokens-per-minute': '9', secret_name: 'tls', max_tokens: 4096 },
      env: [{ name: 'PASSWORD', value: 'configured' }],
      volumes: [
        { name: 'p', projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'a' } }] } },
        { name: 'c', csi: { nodePublishSecretRef: { name: 'n', namespace: 's' } } },
      ],
    }
    expect(withoutSecretValues(kept)).toBe(kept)
  })

  it('are looked for in a long text without much ado', () => {
    const began = performance.now()
    for (const sign of ['-', ' ', 'a', ',', '[', 'secret', "{'", '\n- '])
      withoutSecretValues({ text: `secret${sign.repeat(500_000)}`, other: `{secret${sign.repeat(20_000)}` })
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it('are emptied in JSON inside of a text, in one that is too long for that with the whole text', () => {
    const applied = JSON.stringify({ spec: { secrets: [{ name: 'A', value: secret }] } })
    const long = JSON.stringify({ secrets: secret, pad: ' '.repeat(300_000) })
    const other = '{ "half": "of JSON", "secret'
    const escaped = '{"\\u0073ecrets":"' + secret + '"}'
    expect(withoutSecretValues({ applied, long, other, escaped })).toEqual({
      applied: JSON.stringify({ spec: { secrets: [{ name: 'A', value: '' }] } }),
      long: '',
      other,
      escaped: '{"secrets":[]}',
    })
  })

  it('are emptied without touching the original, and nothing is made anew where there are none', () => {
    const other = { list: [1, { a: null }] }
    const answered = { other, secrets: [{ name: 'A', value: secret }] }
    const before = structuredClone(answered)
    const harmless = withoutSecretValues(answered)
    expect(answered).toEqual(before)
    expect(harmless.other).toBe(other)
  })

  it('keep a member called "__proto__" a member', () => {
    const answered: unknown = JSON.parse(`{"__proto__":{"secrets":"${secret}"}}`)
    expect(JSON.stringify(withoutSecretValues(answered))).toBe('{"__proto__":{"secrets":[]}}')
  })

  it.each([null, undefined, 3, 'text'])('are none in %j', (value) => {
    expect(withoutSecretValues(value)).toBe(value)
  })
})
