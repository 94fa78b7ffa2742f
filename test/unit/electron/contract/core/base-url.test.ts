import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeBaseUrl } from '@contract'

function urlOf(text: string): string {
  const normalized = normalizeBaseUrl(text)
  if (!normalized.ok) throw new Error(normalized.message)
  return normalized.url
}

const anyCharacter = fc.nat(0xffff).map((code) => String.fromCharCode(code))

describe('normalizing a base URL', () => {
  it.each([
    ['https://deploy.example.com', 'https://deploy.example.com'],
    ['  https://deploy.example.com/  ', 'https://deploy.example.com'],
    ['https://deploy.example.com/v2', 'https://deploy.example.com'],
    ['https://deploy.example.com/v2/deployments/', 'https://deploy.example.com'],
    ['https://deploy.example.com/v1', 'https://deploy.example.com'],
    ['https://deploy.example.com/v2/deployments/0b9f4a52/revisions', 'https://deploy.example.com'],
    ['https://deploy.example.com/v1/integrations/forge/repohost/install', 'https://deploy.example.com'],
    ['https://deploy.example.com/api-host/docs#/Deployments/list', 'https://deploy.example.com/api-host'],
    ['https://deploy.example.com/redoc', 'https://deploy.example.com'],
    ['https://deploy.example.com/api-host/openapi.json', 'https://deploy.example.com/api-host'],
    ['https://deploy.example.com/?limit=1', 'https://deploy.example.com'],
    ['https://deploy.example.com/v2/deployments?limit=20&offset=0', 'https://deploy.example.com'],
    ['https://deploy.example.com/#x', 'https://deploy.example.com'],
    ['\u200bhttps://deploy.example.com\u00a0\n', 'https://deploy.example.com'],
    ['deploy.example.com/api-host', 'https://deploy.example.com/api-host'],
    ['deploy.example.com:8443', 'https://deploy.example.com:8443'],
    ['localhost:4600', 'http://localhost:4600'],
    ['https://deploy.example.com/api-host', 'https://deploy.example.com/api-host'],
    ['https://deploy.example.com/api-host/v2/', 'https://deploy.example.com/api-host'],
    ['https://deploy.example.com/api-host//', 'https://deploy.example.com/api-host'],
    ['https://deploy.example.com/v2/tenant', 'https://deploy.example.com/v2/tenant'],
    ['https://deploy.example.com/av2', 'https://deploy.example.com/av2'],
    ['HTTPS://Deploy.Example.com:443/X', 'https://deploy.example.com/X'],
    ['https://deploy.example.com/%74e%6eant/%2fx%c3%a4', 'https://deploy.example.com/tenant/%2Fx%C3%A4'],
    ['https://deploy.example.com/%76%32/', 'https://deploy.example.com'],
    ['http://127.0.0.1:4600/', 'http://127.0.0.1:4600'],
    ['http://[::1]:4600', 'http://[::1]:4600'],
  ])('makes %j into %j', (text, url) => {
    expect(urlOf(text)).toBe(url)
  })

  it.each([
    ['', /^Enter the base URL/],
    ['deploy', /^Begin the base URL with https/],
    ['ann:secret@deploy.example.com', /header/],
    ['javascript:alert(1)', /Enter a URL/],
    ['ftp://deploy.example.com', /not ftp:/],
    ['file:///etc/passwd', /Enter a URL|not file:/],
    ['javascript://alert(1)', /Enter a URL|not javascript:/],
    ['https://', /Enter a URL/],
    [`https://deploy.example.com/${'a'.repeat(2_000)}`, /^Use at most 2,000/],
    // Escaped, it is longer.
    [`https://deploy.example.com/${' a'.repeat(900)}`, /^Use at most 2,000/],
    ['https://ann:secret@deploy.example.com', /header/],
    ['https://token@deploy.example.com', /header/],
  ])('refuses %j with a reason', (text, reason) => {
    const normalized = normalizeBaseUrl(text)
    expect(normalized.ok ? normalized.url : normalized.message).toMatch(reason)
    expect(normalized.ok).toBe(false)
  })

  it('says what it removed, and warns of plain http to other machines only', () => {
    expect(normalizeBaseUrl('https://deploy.example.com/v2')).toMatchObject({
      notes: [expect.stringContaining('/v2') as string],
      warnings: [],
    })
    for (const [url, warnings] of [
      ['http://deploy.example.com', 1],
      ['http://10.0.0.1', 1],
      ['http://localhost.example.com', 1],
      ['http://localhost:4600', 0],
      ['http://127.0.0.1:4600', 0],
      ['http://[::1]:4600', 0],
    ] as const) {
      const normalized = normalizeBaseUrl(url)
      expect(normalized.ok && normalized.warnings.length, url).toBe(warnings)
    }
  })

  it('never throws for any input, and returns only plain http or https URLs', () => {
    const piece = fc.oneof(
      fc.constantFrom('http://', 'https://', 'HTTPS:\\\\', 'ftp://', 'example.com', '[::1]', '127.0.0.1'),
      fc.constantFrom('/', '//', '/v2', '/v1', '/..', '@', ':', ':443', '?', '#', '%', '%2f', '\\', ' '),
      anyCharacter,
    )
    const anything = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(anything, (text) => {
        const normalized = normalizeBaseUrl(text)
        if (!normalized.ok) {
          expect(normalized.message).not.toBe('')
          return
        }
        const url = new URL(normalized.url)
        expect(['http:', 'https:']).toContain(url.protocol)
        expect([url.username, url.password, url.search, url.hash]).toEqual(['', '', '', ''])
        expect(url.pathname).not.toMatch(/.\/$|\/v[12]$/)
        expect(normalized.url).not.toMatch(/\/$/)
      }),
    )
  })

  it('refuses one that is too long to be parsed', () => {
    expect(normalizeBaseUrl(`https://a.example/${'/'.repeat(200_000)}x`)).toMatchObject({ ok: false })
    expect(normalizeBaseUrl(`https://a.example/${'p'.repeat(1_900)}`)).toMatchObject({ ok: true })
  })
})
