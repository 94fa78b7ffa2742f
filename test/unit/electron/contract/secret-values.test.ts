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
const spellings = ['secrets', 'Secrets', 'SECRETS', 'env_secrets', 'revisionSecrets', 'secret-values']

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
        const text = JSON.stringify(withoutSecretValues(answered))
        expect(text).not.toContain(secret)
        expect(text).toContain('kept')
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
