import { describe, expect, it } from 'vitest'
import {
  availableSources,
  environmentModes,
  isKnownSource,
  sourceAvailability,
  sourceLabels,
  sources,
} from '@contract'

describe('the availability of sources', () => {
  it('is what the interface says, for each source and mode', () => {
    expect(availableSources('cloud')).toEqual([
      'repohost',
      'internal_docker',
      'internal_source',
      'internal_template',
    ])
    expect(availableSources('self-hosted')).toEqual(['external_docker'])
  })

  it('allows every source in exactly one mode, and otherwise says which one would', () => {
    for (const source of sources) {
      const answers = environmentModes.map((mode) => sourceAvailability(source, mode))
      expect(answers.filter(({ available }) => available)).toHaveLength(1)
      for (const answer of answers) {
        if (answer.available) continue
        expect(sourceAvailability(source, answer.mode).available).toBe(true)
        expect(answer.reason).toContain(`"${sourceLabels[source]}"`)
        expect(answer.reason).toContain(`only in ${answer.mode} environments`)
      }
    }
  })

  it('knows no other source', () => {
    expect(sources.every(isKnownSource)).toBe(true)
    for (const text of ['', 'Repohost', 'toString', 'external']) expect(isKnownSource(text)).toBe(false)
  })
})
