import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeError } from '../../../../../../electron/main/log/describe-error'
import { createKnownSecrets } from '../../../../../../electron/main/log/secrets/known-secrets'
import { hiddenValue } from '@contract'
import { createRedactor } from '../../../../../../electron/main/log/secrets/redaction'
import { encoders } from '../../../../../support/main/encoders'

const redactor = () => createRedactor('/home/someone')

/** The forms in which a text may repeat a secret, each surrounded by other text. */
const forms: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  'upper case': (secret) => secret.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
  JSON: (secret) => JSON.stringify({ a: secret }),
  'URL-encoded': (secret) => encodeURIComponent(secret),
  'form-encoded': (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 after one byte': (secret) => Buffer.from(`:${secret}`).toString('base64'),
  'base64 between others': (secret) => Buffer.from(`user:${secret}\n--`).toString('base64'),
  base64url: (secret) => Buffer.from(`ab${secret}?`).toString('base64url'),
  hexadecimal: (secret) => Buffer.from(`ab${secret}?`).toString('hex'),
  'upper-case hexadecimal': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'URL-encoded byte by byte': (secret) => Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
  'escaped in JSON': (secret) =>
    secret.replace(/[^]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
}

const everyByte = (text: string, before: string, which: RegExp): string =>
  text.replace(which, (sign) => Buffer.from(sign).toString('hex').replace(/../g, `${before}$&`))

const octal = (sign: string): string =>
  [...Buffer.from(sign)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')

describe('known values', () => {
  for (const [form, write] of Object.entries(forms)) {
    it(`are hidden as ${form}`, async () => {
      const secret = 'Wx7 "quoted"/+ä9-zz'
      const known = redactor()
      await known.learn(secret)
      const text = known.redact(`before ${write(secret)} after`)
      for (const part of [
        'x7',
        'quoted',
        Buffer.from('quoted').toString('base64').slice(1, 6),
        Buffer.from('quoted').toString('hex'),
        '%71%75',
        '0071',
      ]) {
        expect(text.toLowerCase()).not.toContain(part.toLowerCase())
      }
      expect(text).toContain('before')
      expect(text).toContain('after')
    })
  }

  it.each(Object.entries(encoders))('are hidden as %s writes them', async (_encoder, write) => {
    for (const secret of [
      `aB3+dE5/fG7hI9jK1lM2&nO4<pQ6!rS8t==`,
      `aB3+dE5/fG7'hI9"jK1(lM2)*~nO4>pQ6!`,
      `x0Yz${Array.from({ length: 30 }, (_, index) => `x${index}Yz`).join('')}`,
    ]) {
      const known = createKnownSecrets()
      await known.learn([secret])
      const text = `before ${write(secret)} after`
      for (const one of [text, JSON.stringify(text)]) {
        const shown = known
          .hide(one, hiddenValue)
          .replace(/^"|"$/g, '')
          .replace(/\s|\\[nr]/g, '')
        // The last line of base64 may be too short to be recognised.
        expect(shown).toMatch(/^before(?:•••)+(?:[A-Za-z0-9+/]{0,7}=*)after$/)
      }
    }
  })

  it('are hidden whatever they are', async () => {
    const secrets = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 400 })
    await fc.assert(
      fc.asyncProperty(secrets, async (secret) => {
        fc.pre(secret.trim().length >= 4)
        const known = createKnownSecrets()
        await known.learn([secret])
        for (const text of [secret.trim(), JSON.stringify(secret.trim())]) {
          expect(known.hide(`<<${text}>>`, '')).not.toContain(secret.trim())
        }
      }),
    )
  })

  it.each<[string, (secret: string) => string]>([
    [
      'with everything but letters and digits in a URL encoded',
      (secret) => everyByte(secret, '%', /[^a-z0-9]/gi),
    ],
    ['as bytes in Python', (secret) => everyByte(secret, '\\x', /[^ -~]/gu)],
    ['as octal bytes', (secret) => secret.replace(/[^ -~]/gu, octal)],
    ['read in the wrong encoding', (secret) => Buffer.from(secret).toString('latin1')],
    ['with accents by themselves', (secret) => secret.normalize('NFD')],
    ['in capitals', (secret) => secret.toUpperCase()],
    ['between apostrophes', (secret) => secret.replace(/['\\]/g, '\\$&')],
    ['in SQL', (secret) => secret.replaceAll("'", "''")],
    ['in a dump', (secret) => Buffer.from(secret).toString('hex').replace(/../g, '$& ')],
    [
      'with colons between its bytes',
      (secret) =>
        Buffer.from(secret)
          .toString('hex')
          .replace(/..(?=.)/g, '$&:'),
    ],
    ['as numbers in HTML', (secret) => secret.replace(/[^]/gu, (sign) => `&#${sign.codePointAt(0)};`)],
    ['byte by byte in scripts', (secret) => everyByte(secret, '\\x', /[^]/gu)],
    ['in JSON, three times', (secret) => [1, 2, 3].reduce((text) => JSON.stringify(text), secret)],
    ['on one line, escaped', (secret) => JSON.stringify(secret.replace(/ +/g, ' '))],
  ])('are hidden %s', async (_how, write) => {
    for (const secret of [
      'lsv2-pt.Ab3dEf.9zYx_w',
      "pa'ss-Geheim",
      'Geheim-Pässwört-4711',
      "tab\tand  two  spaces 'n' 1",
    ]) {
      const known = createKnownSecrets(8)
      await known.learn([secret])
      const shown = known.hide(`before <${write(secret)}> after`, hiddenValue)
      expect(shown).toMatch(/^before [^a-z0-9]*•••[^a-z0-9]* after$/i)
    }
  })

  it.each([
    ['k3y-zq&ab12cd34ef56', String.raw`k3y-zq\u0026ab12cd34ef56`],
    ['k3y-zq&ab12cd34ef56', String.raw`k3y-zq\u{26}ab12cd34ef56`],
    ['pa<12345678cafe>babe99', String.raw`pa\u003c12345678cafe\u003ebabe99`],
  ])('are hidden if the text after an escape could be its digits: %s as %s', async (secret, written) => {
    const known = createKnownSecrets(8)
    await known.learn([secret])
    expect(known.hide(`before ${written} after`, hiddenValue)).toBe('before ••• after')
  })

  it('are hidden in every form beside one that is very long', async () => {
    const known = createKnownSecrets(8)
    const password = 'Neu/zj1kv6urze9='
    await known.learn(['kube-config '.repeat(2_000), password])
    const base64 = Buffer.from(password).toString('base64')
    expect(known.hide(`${encodeURIComponent(password)} ${base64}`, hiddenValue)).toMatch(/^••• •••Q?==$/)
  })

  it('leave ordinary words', async () => {
    const known = createKnownSecrets(8)
    await known.learn(["pass'word"])
    expect(known.hide('The password is wrong.', hiddenValue)).toBe('The password is wrong.')
  })

  it('are hidden by their parts: the token after its scheme, each line, pieces of long ones', async () => {
    const known = redactor()
    await known.learn('Custom abcdefgh-token')
    await known.learn('first line is long\nsecond-line-is-long')
    await known.learn('0123456789'.repeat(40))
    const text = known.redact(`abcdefgh-token second-line-is-long ${'0123456789'.repeat(20)}`)
    expect(text).not.toMatch(/abcdefgh|second|012345/)
  })

  it('are hidden only as separate words if they are short', async () => {
    const known = redactor()
    await known.learn('ab')
    expect(known.redact('ab: about ab, crab')).toBe('•••: about •••, crab')
  })

  it('are known from an input by the names of its members, from JSON in a text and from URLs', async () => {
    const known = redactor()
    await known.learnFrom({
      name: 'a-name',
      headers: [{ name: 'X-Api-Key', value: 'header-value' }],
      proxy: { password: 'proxy-password' },
      baseUrl: 'https://someone:url-password@example.com/',
      repository: 'https://someone:with%20a:colon@example.com/',
      draft: JSON.stringify({ secrets: [{ name: 'A', value: 'drafted-value' }] }),
    })
    const shown = known.redact('a-name header-value proxy-password url-password drafted-value with a:colon')
    expect(shown).toBe('a-name ••• ••• ••• ••• •••')
  })

  it('includes the password inside of Basic credentials', async () => {
    const known = redactor()
    await known.learn(`Basic ${Buffer.from('someone:their-password').toString('base64')}`)
    expect(known.redact('it is their-password')).toBe('it is •••')
  })

  it('forgets the oldest of very many, and never what another one shares', async () => {
    const known = createKnownSecrets()
    await known.learn(['the-oldest'])
    await known.learn(['the-oldest '])
    for (let index = 0; index < 4_999; index += 1) await known.learn([`secret-number-${index}-`])
    expect(known.hide('the-oldest', '')).toBe('')
    await known.learn(['another-one'])
    expect(known.hide('the-oldest secret-number-0-', '')).toBe('the-oldest ')
  })
})

describe('a text that looks like a secret', () => {
  for (const text of [
    'Authorization: hidden-text more-hidden-text',
    '{"x-api-key":"hidden-text"}',
    'sent Bearer hidden-text',
    'https://someone:hidden-text@example.com/path',
    'https://example.com/path?code=hidden-text',
    'my_password = hidden-text',
    'passcode: hidden-text',
    'PGPASSWD=hidden-text',
    'encryption key: hidden-text',
    'eyJhbGciOi.hidden-text.c2ln',
    '-----BEGIN RSA PRIVATE KEY-----\nhidden-text\n-----END RSA PRIVATE KEY-----',
    '-----BEGIN CERTIFICATE-----\\nhidden-text\\n-----END CERTIFICATE-----',
    'Hidden-text4hidden-text4hidden-text4hidden-text',
  ]) {
    it(`is hidden: ${text.split('\n', 1)[0]}`, () => {
      expect(redactor().redact(text)).not.toMatch(/hidden-text/i)
    })
  }

  it("doesn't include what helps with diagnosis: identifiers, times, statuses, places in the code", () => {
    const text =
      'GET /v2/deployments environment=5b1f0f7e-9d9a-4a57-8c4e-2b1a7c1d9e00 ms=34 at x (/a/b.cjs:1:2)'
    expect(redactor().redact(text)).toBe(text)
    expect(redactor().redact('at /home/someone/slipway')).toBe('at ~/slipway')
  })

  it('is known for as long as one of the secrets that have it, however many come after', async () => {
    const { learn, hideKnown } = redactor()
    await learn('shared-line\nfirst-line')
    for (let count = 0; count < 4_999; count += 1) await learn(`other-secret-${count}`)
    await learn('shared-line\nsecond-line')
    // Each additional one replaces the oldest.
    for (let count = 0; count < 4_000; count += 1) await learn(`later-secret-${count}`)
    expect(hideKnown('shared-line')).toBe(hiddenValue)
    expect(hideKnown('first-line')).toBe('first-line')
  })

  it('is found in a long text without long delay', () => {
    const began = performance.now()
    for (const text of ['a-'.repeat(10_000), '/'.repeat(20_000), 'key'.repeat(7_000), '"'.repeat(20_000)]) {
      redactor().redact(text)
      describeError(new Error(text))
    }
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})

describe('an error', () => {
  it('has its name, code and stack, and nothing that it quotes', () => {
    const error = Object.assign(
      new SyntaxError(`Unexpected token 'x', ..."the name" is not JSON\nand more`),
      {
        code: 'E_CODE',
        cause: new TypeError("no such file or directory, open '/a/secret-place'"),
      },
    )
    const text = describeError(error)
    expect(text).toMatch(/^SyntaxError \(E_CODE\): Unexpected token •••, \.\.\.••• is not JSON\n\s+at /)
    expect(text).toContain('caused by TypeError: no such file or directory, open •••')
    expect(text).not.toMatch(/the name|and more|secret-place/)
    expect(describeError({ secret: 'x' })).toBe('not an Error')
  })
})
