import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeBaseUrl } from '@contract'
import { appLinkTo, deploymentSections, isMeantAsAppLink, parseAppLink } from '@contract/core/app-link'
import { isSeen } from '@contract/core/text'

describe('base URLs', () => {
  function urlOf(text: string): string {
    const normalized = normalizeBaseUrl(text)
    if (!normalized.ok) throw new Error(normalized.message)
    return normalized.url
  }

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
  })
})

describe('links', () => {
  describe('a link', () => {
    it('opens a deployment or a screen of an environment', () => {
      const there = { environment: 'Produktion Süd', deploymentId: null, section: null }
      const name = 'Produktion%20S%C3%BCd'
      expect(parseAppLink(`slipway://${name}/deployments`)).toEqual({ ...there, screen: 'deployments' })
      expect(parseAppLink(`SLIPWAY://${name}/Repositories/`)).toEqual({ ...there, screen: 'repositories' })
      expect(parseAppLink(`slipway://${name}/new`)).toEqual({ ...there, screen: 'new' })
      expect(parseAppLink(`slipway://${name}/deployments/a%2Fb/`)).toEqual({
        ...there,
        screen: 'deployments',
        deploymentId: 'a/b',
      })
    })

    it.each([
      'slipway://',
      'slipway:Production/deployments',
      'slipway://Production',
      'slipway://Production/environments',
      'slipway://Production/new/one',
      'slipway://Production/new?name=x',
      'slipway://Production/deployments?status=x',
      'slipway://Production/deployments/one/delete',
      'slipway://Production/deployments/one/history/delete',
      'slipway://Production/deployments/one/constructor',
      'slipway://Production/deployments/one/histor%79',
      'slipway://Production/deployments/one//history',
      'slipway://Production/deployments/one/history?now=1',
      'slipway://Production/repositories/one/history',
      'slipway://Production/deployments/..',
      'slipway://Production/deployments/%2e%2e',
      'slipway://Production/deployments/%',
      'slipway://ann:key@Production/deployments',
      'slipway://Prod%E2%80%AEuction/deployments',
      'slipway://Production/deployments/a%0Ab',
      'slipway://%20/deployments',
      'https://Production/deployments',
      ' slipway://Production/deployments',
      `slipway://Production/deployments/${'a'.repeat(2_000)}`,
    ])('is not %s', (text) => {
      expect(parseAppLink(text)).toBeNull()
    })

    it('is read back as it was written, as one word of plain characters', () => {
      const texts = fc.oneof(
        fc.string({ minLength: 1, maxLength: 60 }),
        fc.string({ unit: 'grapheme', maxLength: 40 }),
      )
      const sections = fc.constantFrom(null, ...deploymentSections)
      fc.assert(
        fc.property(texts, texts, sections, (environment, deploymentId, section) => {
          const link = appLinkTo(environment, deploymentId, section)
          if (link === null) return
          expect(link).toMatch(/^slipway:\/\/[A-Za-z0-9%.-]+\/deployments\/[A-Za-z0-9%.-]+(\/[a-z]+)?$/)
          expect(parseAppLink(link)).toEqual({ environment, screen: 'deployments', deploymentId, section })
        }),
      )
      expect(appLinkTo('Production', '0f8fad5b-d9cb-469f-a165-70867728950e')).toBe(
        'slipway://Production/deployments/0f8fad5b-d9cb-469f-a165-70867728950e',
      )
      expect(appLinkTo('\ud800', 'one')).toBeNull()
    })

    it('of any text never throws, and shows nothing invisible', () => {
      const part = fc.oneof(
        fc.string(),
        fc.constantFrom(
          '%',
          '%00',
          '%2F',
          '%E2%80%AE',
          '..',
          'deployments',
          'new',
          'history',
          'Json',
          'overview%00',
          '/',
          '?',
          '#',
          '\u202e',
          '@',
        ),
      )
      const linkLike = fc.array(part, { maxLength: 6 }).map((parts) => `slipway://${parts.join('/')}`)
      /** Most of these name a deployment, so that the code after that is reached. */
      const afterDeployment = fc
        .array(part, { maxLength: 3 })
        .map((parts) => `slipway://Production/deployments/one/${parts.join('/')}`)
      fc.assert(
        fc.property(fc.oneof(fc.string(), linkLike, afterDeployment), (text) => {
          const link = parseAppLink(text)
          if (!link) return
          expect(isMeantAsAppLink(text)).toBe(true)
          expect(isSeen(link.environment) && isSeen(link.deploymentId ?? '')).toBe(true)
          expect(link.environment.length).toBeLessThanOrEqual(200)
          expect(['deployments', 'repositories', 'new']).toContain(link.screen)
          expect([null, ...deploymentSections]).toContain(link.section)
          if (link.deploymentId === null) expect(link.section).toBeNull()
          else {
            // Written again, it says no more than what was read.
            const again = appLinkTo(link.environment, link.deploymentId, link.section)
            expect(again && parseAppLink(again)).toEqual(link)
          }
        }),
      )
    })
  })
})
