import { appLinkTo, isMeantAsAppLink, parseAppLink } from '@contract/core/app-link'
import { isSeen } from '@contract/core/untrusted-text'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('a link', () => {
  it('leads to a deployment or a screen of an environment', () => {
    const there = { environment: 'Produktion Süd', deploymentId: null }
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

  it('comes back from what it was made of, as one word of plain characters', () => {
    const texts = fc.oneof(
      fc.string({ minLength: 1, maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
    )
    fc.assert(
      fc.property(texts, texts, (environment, deploymentId) => {
        const link = appLinkTo(environment, deploymentId)
        if (link === null) return
        expect(link).toMatch(/^slipway:\/\/[A-Za-z0-9%.-]+\/deployments\/[A-Za-z0-9%.-]+$/)
        expect(parseAppLink(link)).toEqual({ environment, screen: 'deployments', deploymentId })
      }),
    )
    expect(appLinkTo('Production', '0f8fad5b-d9cb-469f-a165-70867728950e')).toBe(
      'slipway://Production/deployments/0f8fad5b-d9cb-469f-a165-70867728950e',
    )
    expect(appLinkTo('\ud800', 'one')).toBeNull()
  })

  it('of any text never throws, and names nothing that can not be seen', () => {
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
        '/',
        '?',
        '#',
        '\u202e',
        '@',
      ),
    )
    const linkLike = fc.array(part, { maxLength: 6 }).map((parts) => `slipway://${parts.join('/')}`)
    fc.assert(
      fc.property(fc.oneof(fc.string(), linkLike), (text) => {
        const link = parseAppLink(text)
        if (!link) return
        expect(isMeantAsAppLink(text)).toBe(true)
        expect(isSeen(link.environment) && isSeen(link.deploymentId ?? '')).toBe(true)
        expect(link.environment.length).toBeLessThanOrEqual(200)
        expect(['deployments', 'repositories', 'new']).toContain(link.screen)
      }),
    )
  })
})
