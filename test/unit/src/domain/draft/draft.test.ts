import { sources } from '@contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withoutBlanks } from '@/domain/draft/blanks'
import { changeSource, draftOf, emptyDraft, isUntouched, requestOf } from '@/domain/draft/draft'
import { fieldNames, fields } from '@/domain/draft/fields'
import { setValueAt } from '@/domain/text/json-path'
import { createRequests } from '../../../../support/properties/arbitraries'

describe('a draft of a request', () => {
  it('returns the same request without blanks at its ends, whatever the contract accepts', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(createRequests, (request) => {
        seen.add(request.source)
        expect(requestOf(draftOf(request))).toStrictEqual(withoutBlanks(request))
      }),
    )
    expect([...seen].sort()).toEqual([...sources].sort())
  })

  it('keeps what a change of source hides, does not send it, and restores it on the way back', () => {
    fc.assert(
      fc.property(createRequests, fc.constantFrom(...sources), (request, other) => {
        const draft = draftOf(request)
        draft.alsoSent = []
        const first = requestOf(draft)
        changeSource(draft, other)
        const { source_config, source_revision_config, ...rest } = requestOf(draft)
        const names = [
          ...Object.keys(source_config),
          ...Object.keys(source_revision_config),
          ...Object.keys(rest),
        ]
        for (const name of fieldNames) {
          if (names.includes(name)) expect(fields[name].usualFor).toContain(other)
        }
        changeSource(draft, request.source)
        const again = requestOf(draft)
        // The only default: an empty resource spec for an external image without one.
        if (
          first.source_config.resource_spec === undefined &&
          [other, request.source].includes('external_docker')
        ) {
          delete again.source_config.resource_spec
        }
        expect(again).toStrictEqual(first)
      }),
    )
  })
})

describe('an empty draft', () => {
  it('has a source that the mode allows and sends nothing that was not filled in', () => {
    expect(requestOf(emptyDraft('cloud'))).toEqual({
      name: '',
      source: 'repohost',
      source_config: {},
      source_revision_config: {},
      secrets: [],
    })
  })

  it.each(['cloud', 'self-hosted'] as const)(
    'counts as untouched until something is entered (%s)',
    (mode) => {
      expect(isUntouched(emptyDraft(mode))).toBe(true)
      for (const path of [['name'], ['source_config', 'custom_url'], ['secrets', 0]]) {
        const draft = emptyDraft(mode)
        setValueAt(draft.entered, path, 'x')
        expect(isUntouched(draft)).toBe(false)
      }
    },
  )
})
