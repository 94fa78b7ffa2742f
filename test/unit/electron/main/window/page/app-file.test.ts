import { normalize, sep } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { appFile } from '../../../../../../electron/main/window/page/app-file'
import { isAppUrl } from '../../../../../../electron/main/window/page/app-origin'

const folder = normalize('/opt/slipway/out/renderer')

describe('files of app://', () => {
  it('serves the page and its parts with their types', () => {
    expect(appFile('app://slipway/', folder)).toEqual({
      path: normalize(`${folder}/index.html`),
      type: 'text/html; charset=utf-8',
    })
    expect(appFile('app://slipway/assets/index-1.js?x#y', folder)?.path).toBe(
      normalize(`${folder}/assets/index-1.js`),
    )
  })

  it.each([
    'app://elsewhere/index.html',
    'app://slipway:80/index.html',
    'app://user@elsewhere/index.html',
    'file:///opt/slipway/out/renderer/index.html',
    'app://slipway/..%2fmain/index.js',
    'app://slipway/assets/..%2f..%2fmain/index.js',
    'app://slipway/..%5cmain/index.js',
    'app://slipway/index.html%00.js',
    'app://slipway/..%2frenderer-of-another/index.js',
    'app://slipway/assets/secret.pem',
    'app://slipway/assets',
    'app://slipway/%',
    'no URL',
  ])('serves nothing for %s', (url) => {
    expect(appFile(url, folder)).toBeNull()
  })

  it('never leads outside its folder', () => {
    const part = fc.constantFrom(
      '..',
      '%2e%2e',
      '.%2e',
      '%2f',
      '%5c',
      '/',
      '\\',
      'a',
      'index.js',
      '%00',
      '%25',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const file = appFile(`app://slipway/${parts.join('')}.js`, folder)
        expect(file === null || file.path.startsWith(folder + sep)).toBe(true)
      }),
    )
  })
})

describe("the application's page", () => {
  it('is recognised by the parsed scheme, host and path', () => {
    expect(isAppUrl('app://slipway/index.html#/deployments')).toBe(true)
    for (const url of [
      'app://slipway.evil.example/index.html',
      'app://slipway@evil.example/index.html',
      'https://slipway/index.html',
      'app://slipway/assets/index.js',
      'app:slipway/index.html',
      'about:blank',
      '',
    ]) {
      expect(isAppUrl(url), url).toBe(false)
    }
  })
})
