import { describe, expect, it } from 'vitest'
import { matches } from '../../../../../electron/launcher/setup/dependencies.mjs'

const wanted = {
  '': { version: '0.1.0' },
  'node_modules/vue': { version: '3.5.0', integrity: 'sha512-a' },
  'node_modules/native-darwin': { version: '1.0.0', integrity: 'sha512-b', optional: true },
}

describe('whether the installed packages are those of the lockfile', () => {
  it('accepts the same packages, without those for other platforms', () => {
    expect(matches(wanted, { 'node_modules/vue': { version: '3.5.0', integrity: 'sha512-a' } })).toBe(true)
  })

  it('refuses another version, other contents, a missing package and an additional one', () => {
    expect(matches(wanted, { 'node_modules/vue': { version: '3.5.1', integrity: 'sha512-a' } })).toBe(false)
    expect(matches(wanted, { 'node_modules/vue': { version: '3.5.0', integrity: 'sha512-z' } })).toBe(false)
    expect(matches(wanted, {})).toBe(false)
    expect(
      matches(wanted, {
        'node_modules/vue': { version: '3.5.0', integrity: 'sha512-a' },
        'node_modules/left-over': { version: '1.0.0' },
      }),
    ).toBe(false)
  })
})
