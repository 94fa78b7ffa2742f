import { formsOf, isAlike, longestDeploymentName } from '@contract'
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

  it('are not compared where one is longer than any name that was sent may become', () => {
    const long = 'A'.repeat(5 * longestDeploymentName)
    expect(isAlike(long, long)).toBe(true)
    expect(isAlike(long, long.toLowerCase())).toBe(false)
  })

  it('are all asked for, each once, and never with nothing', () => {
    expect(formsOf('agent')).toEqual(['agent'])
    expect(formsOf('My App')).toEqual(['My App', 'my app', 'my-app'])
    expect(formsOf(' ')).toEqual([' '])
  })
})
