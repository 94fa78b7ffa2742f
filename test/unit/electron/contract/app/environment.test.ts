import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { environmentInputSchema, headerNameSchema, headerValueSchema, systemNetwork } from '@contract'

const input = {
  id: null,
  name: 'Production',
  baseUrl: 'https://deploy.example.com',
  mode: 'cloud',
  colour: 'brown',
  protected: true,
  headers: [{ name: 'X-Api-Key', value: 'secret' }],
  integrations: [],
}

const integration = '0f8fad5b-d9cb-469f-a165-70867728950e'

const manyNicknames = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, number) => [
      String(number).padStart(8, '0') + integration.slice(8),
      'Team forge',
    ]),
  )

const issuesOf = (changes: object): string[] => {
  const issues = environmentInputSchema.safeParse({ ...input, ...changes }).error?.issues ?? []
  return [...new Set(issues.map(({ path }) => path.join('.')))]
}

const anyCharacter = fc.nat(0xffff).map((code) => String.fromCharCode(code))

describe('the input of the environment dialog', () => {
  it('is read unchanged', () => {
    expect(environmentInputSchema.parse(input)).toEqual({
      ...input,
      ...systemNetwork,
      readOnly: false,
      nicknames: {},
    })
  })

  it.each([
    [{ name: ' ' }, ['name']],
    [{ name: 'x'.repeat(61) }, ['name']],
    [{ name: 'Production\u202egnigats' }, ['name']],
    [{ name: 'Two\nlines' }, ['name']],
    [{ name: 'Zero\u200bwidth' }, ['name']],
    [{ name: 'Production\u2800' }, ['name']],
    [{ name: 'Production\u034f' }, ['name']],
    [{ name: 'Production\ufe0f' }, ['name']],
    [{ name: 'Production\u{1d159}' }, ['name']],
    [{ name: 'Production\ud800' }, ['name']],
    [{ baseUrl: 'https://ann:secret@deploy.example.com' }, ['baseUrl']],
    [{ mode: 'hybrid' }, ['mode']],
    [{ colour: 'mauve' }, ['colour']],
    [{ integrations: ['not-a-uuid'] }, ['integrations.0']],
    [{ nicknames: { 'not-a-uuid': 'Team forge' } }, ['nicknames.not-a-uuid']],
    [{ nicknames: { [integration]: ' ' } }, [`nicknames.${integration}`]],
    [{ nicknames: { [integration]: 'x'.repeat(61) } }, [`nicknames.${integration}`]],
    [{ nicknames: { [integration]: 'Team\u202eegrof' } }, [`nicknames.${integration}`]],
    [{ nicknames: manyNicknames(201) }, ['nicknames']],
    [{ more: true }, ['']],
    [{ headers: [{ name: 'Two Words', value: 'x' }] }, ['headers.0.name']],
    [{ headers: [{ name: 'X', value: '' }] }, ['headers.0.value']],
    [
      {
        headers: [
          { name: 'X-Key', value: '1' },
          { name: 'x-key', value: '2' },
        ],
      },
      ['headers.1.name'],
    ],
  ])('is refused with %j', (changes, paths) => {
    expect(issuesOf(changes)).toEqual(paths)
  })

  it('has nicknames by identifiers in lower case, as many as there can be integrations', () => {
    const nicknames = { [integration.toUpperCase()]: ' Team forge ' }
    expect(environmentInputSchema.parse({ ...input, nicknames }).nicknames).toEqual({
      [integration]: 'Team forge',
    })
    expect(issuesOf({ nicknames: manyNicknames(200) })).toEqual([])
  })

  it('keeps a stored header value with null', () => {
    expect(issuesOf({ headers: [{ name: 'X-Api-Key', value: null }] })).toEqual([])
  })
})

describe('a request header', () => {
  it.each([
    'Host',
    'cookie',
    'Content-Type',
    'Content-Length',
    'Transfer-Encoding',
    'Sec-Fetch-Mode',
    'Proxy-X',
  ])('cannot be %s, which the application sets itself', (name) => {
    expect(headerNameSchema.safeParse(name).success).toBe(false)
  })

  it.each([
    'X-HTTP-Method-Override',
    'x-http-method',
    'X-Method-Override',
    'X-Original-URL',
    'X-Rewrite-URL',
    'X-Forwarded-Host',
    'Forwarded',
    'Range',
    'If-None-Match',
    'Content-Encoding',
    'Cache-Control',
    'Set-Cookie',
    'Cookie2',
  ])('cannot be entered as %s, which turns each request into another one', (name) => {
    expect(issuesOf({ headers: [{ name, value: 'x' }] })).toEqual(['headers.0.name'])
  })

  it.each(['X-Api-Key', 'Authorization', 'X-Tenant-Id', 'X-Forwarded-Access-Token', 'CF-Access-Client-Id'])(
    'can be %s',
    (name) => expect(issuesOf({ headers: [{ name, value: 'x' }] })).toEqual([]),
  )

  it('cannot smuggle another header or a request in', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom('\r', '\n', '\0', 'é', '\u2028'),
        (text, bad) => {
          expect(headerValueSchema.safeParse(`a${text}${bad}${text}b`).success).toBe(false)
          expect(headerNameSchema.safeParse(`a${text}${bad}b`).success).toBe(false)
        },
      ),
    )
  })

  it('that passes is accepted by fetch unchanged', () => {
    const token = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,30}$/)
    const value = fc.stringMatching(/^[\x21-\x7e][\x20-\x7e\t]{0,60}$/)
    fc.assert(
      fc.property(token, value, (name, text) => {
        const parsedName = headerNameSchema.safeParse(name)
        const parsedValue = headerValueSchema.safeParse(text)
        if (!parsedName.success || !parsedValue.success) return
        expect(new Headers([[parsedName.data, parsedValue.data]]).get(name)).toBe(parsedValue.data)
      }),
    )
  })
})

describe('a proxy', () => {
  const proxy = (changes: object): object => ({
    proxy: { mode: 'manual', host: 'proxy.example.com', port: 3128, credentials: null, ...changes },
  })

  it.each([
    [proxy({}), []],
    [proxy({ host: '[2001:db8::1]' }), []],
    [proxy({ credentials: { userName: 'ann', password: null } }), []],
    // Values with another meaning in Chromium's rules for proxies.
    [proxy({ host: 'a;https=b' }), ['proxy.host']],
    [proxy({ host: 'direct://' }), ['proxy.host']],
    [proxy({ host: 'proxy.example.com:3128' }), ['proxy.host']],
    [proxy({ port: 0 }), ['proxy.port']],
    [proxy({ port: 65_536 }), ['proxy.port']],
    [proxy({ credentials: { userName: '', password: 'x' } }), ['proxy.credentials.userName']],
    [{ proxy: { mode: 'pac-url', url: 'https://example.com/proxy.pac' } }, []],
    [{ proxy: { mode: 'pac-url', url: 'https://ann:secret@example.com/proxy.pac' } }, ['proxy.url']],
    [{ proxy: { mode: 'pac-url', url: 'file:///etc/passwd' } }, ['proxy.url']],
    [{ proxy: { mode: 'pac-text', text: 'return "DIRECT"' } }, ['proxy.text']],
    [{ proxy: { mode: 'off' } }, ['proxy.mode']],
  ])('of %j has these errors: %j', (changes, paths) => {
    expect(issuesOf(changes)).toEqual(paths)
  })
})
