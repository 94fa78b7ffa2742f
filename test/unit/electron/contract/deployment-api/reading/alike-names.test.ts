import { formsOf, isAlike, longestDeploymentName } from '@contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('names that a service may have written in its own way', () => {
  it.each([
    ['MyApp', 'myapp'],
    ['Cafe\u0301', 'caf\u00e9'],
    [' trail\t', 'trail'],
    ['My  app', 'my_app'],
    ['my–app', 'my-app'],
  ])('are alike: %j and %j', (one, other) => expect(isAlike(one, other)).toBe(true))

  it.each([
    ['agent', 'agent-2'],
    ['agent-2', 'agent2'],
    ['agent', 'agents'],
    ['agent', ''],
  ])('are not: %j and %j', (one, other) => expect(isAlike(one, other)).toBe(false))

  it('are not compared if one is longer than any name that was sent can become', () => {
    const long = 'A'.repeat(5 * longestDeploymentName)
    expect(isAlike(long, long)).toBe(true)
    expect(isAlike(long, long.toLowerCase())).toBe(false)
  })

  it('are all searched for, each once, and never as an empty text', () => {
    expect(formsOf('agent')).toEqual(['agent', 'AGENT', 'Agent'])
    expect(formsOf('my-app').sort()).toEqual(['MY-APP', 'My-app', 'my app', 'my-app', 'my_app'])
    expect(formsOf('My App').sort()).toEqual(
      ['MY APP', 'My App', 'My app', 'My-App', 'My_App', 'my app', 'my-app', 'my_app'].sort(),
    )
    expect(formsOf('caf\u00e9')).toEqual(['caf\u00e9', 'CAF\u00c9', 'Caf\u00e9', 'cafe\u0301'])
    expect(formsOf('cafe\u0301')).toContain('caf\u00e9')
    expect(formsOf(' trail ')).toContain('trail')
    expect(formsOf(' ')).toEqual([' '])
  })

  it('are requested in a limited number, the name first, and are all alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 63 }), (name) => {
        const forms = formsOf(name)
        expect(forms[0]).toBe(name)
        expect(new Set(forms).size).toBe(forms.length)
        expect(forms.length).toBeLessThanOrEqual(15)
        for (const form of forms) expect(isAlike(form, name)).toBe(true)
      }),
    )
  })
})
