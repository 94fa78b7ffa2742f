import { type Environment, environmentInputSchema, type EnvironmentView } from '@contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  advancedErrors,
  baseUrlFeedback,
  changesAccount,
  draftOf,
  draftsDiffer,
  type EnvironmentDraft,
  errorsByField,
  duplicateOf,
  importedFrom,
  newDraft,
  saveInput,
} from '@/features/environments/environment-draft'
import { environmentView } from '../../../support/builders/environment-view'

describe('a draft', () => {
  const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e'

  function environment(more: Partial<Environment> = {}): Environment {
    return {
      id: 'one',
      name: 'Production',
      storage: 'keychain',
      profile: environmentView({
        baseUrl: 'https://deploy.example.com/api-host',
        colour: 'brown',
        protected: true,
        headerNames: ['X-Api-Key', 'X-Tenant-Id'],
        integrations: [uuid],
        nicknames: { [uuid]: 'Team forge' },
      }),
      service: 'one',
      problem: null,
      ...more,
    }
  }

  function editing(): EnvironmentDraft {
    const draft = draftOf(environment())
    if (!draft) throw new Error('The profile is readable, so there is a draft.')
    return draft
  }

  function filledIn(more: Partial<EnvironmentDraft> = {}): EnvironmentDraft {
    return { ...newDraft([]), name: 'Staging', baseUrl: 'https://staging.example.com', ...more }
  }

  describe('a draft of an environment', () => {
    it('saves what was there if nothing was changed, keeping every stored value', () => {
      expect(saveInput(editing(), [environment()]).input).toEqual({
        id: 'one',
        name: 'Production',
        baseUrl: 'https://deploy.example.com/api-host',
        mode: 'cloud',
        colour: 'brown',
        protected: true,
        readOnly: false,
        headers: [
          { name: 'X-Api-Key', value: null },
          { name: 'X-Tenant-Id', value: null },
        ],
        integrations: [uuid],
        nicknames: { [uuid]: 'Team forge' },
        trust: { kind: 'system' },
        proxy: { mode: 'system' },
      })
    })
  })

  describe('stored header values', () => {
    it('are kept while the replacing field is empty and replaced once it is not', () => {
      const draft = editing()
      draft.headers[0]!.value = ''
      expect(saveInput(draft, []).input?.headers[0]).toEqual({ name: 'X-Api-Key', value: null })
      draft.headers[0]!.value = 'new'
      expect(saveInput(draft, []).input?.headers[0]).toEqual({ name: 'X-Api-Key', value: 'new' })
    })

    it('are warned about if another origin would get them', () => {
      const before = editing()
      const draft = editing()
      draft.baseUrl = 'https://deploy.example.com/other-prefix'
      expect(baseUrlFeedback(draft, before).warnings).toEqual([])
      draft.baseUrl = 'https://elsewhere.example.com'
      expect(baseUrlFeedback(draft, before).warnings).toHaveLength(1)
      for (const header of draft.headers) header.value = 'new'
      expect(baseUrlFeedback(draft, before).warnings).toEqual([])
    })
  })

  describe('trust in one exact certificate', () => {
    it('names the reviewed refusal, or keeps the stored certificate', () => {
      const draft = editing()
      const certificate = { subject: 'a', issuer: 'a', validFrom: '', validTo: '', fingerprint: 'AA' }
      draft.trust = { ...draft.trust, kind: 'exact', exact: certificate, refusalId: 'one' }
      expect(saveInput(draft, []).input?.trust).toEqual({ kind: 'exact', refusalId: 'one' })
      const stored = environment()
      if (stored.profile) stored.profile.trust = { kind: 'exact', certificate }
      expect(saveInput(draftOf(stored)!, []).input?.trust).toEqual({ kind: 'exact', refusalId: null })
    })
  })

  describe('validation', () => {
    it('ignores rows without content, and still names the right row', () => {
      const draft = filledIn({
        headers: [
          { stored: false, name: ' ', value: '' },
          { stored: false, name: 'X Api', value: 'v' },
        ],
        integrations: [
          { id: '', nickname: ' ' },
          { id: 'nonsense', nickname: 'Team forge' },
          { id: '', nickname: 'Without an ID' },
          { id: uuid, nickname: 'x'.repeat(61) },
        ],
      })
      const found = saveInput(draft, []).errors
      expect(Object.keys(found).sort()).toEqual([
        'headers.1.name',
        'integrations.1.id',
        'integrations.2.id',
        'integrations.3.nickname',
      ])
      expect(found['integrations.1.id']).toBe('Enter a valid ID (UUID).')
      expect(advancedErrors(found)).toBe(3)
    })

    it('refuses a repeated header, integration or nickname, whatever its case', () => {
      const draft = filledIn({
        headers: [
          { stored: false, name: 'X-Api-Key', value: 'a' },
          { stored: false, name: 'x-api-key', value: '' },
        ],
        integrations: [
          { id: uuid, nickname: 'Team forge' },
          { id: uuid.toUpperCase(), nickname: '' },
          { id: uuid.replace(/^./, '1'), nickname: ' team  FORGE ' },
          { id: uuid.replace(/^./, '2'), nickname: '' },
        ],
      })
      expect(Object.keys(saveInput(draft, []).errors).sort()).toEqual([
        'headers.1.name',
        'headers.1.value',
        'integrations.1.id',
        'integrations.2.nickname',
      ])
    })

    it('shows issues from the main process at their fields, and the rest in the dialog', () => {
      const draft = filledIn({ headers: [{ stored: false, name: 'X-Api-Key', value: 'v' }] })
      expect(
        errorsByField(draft, [
          { path: ['name'], message: 'a' },
          { path: ['headers', 0, 'value'], message: 'b' },
          { path: ['headers', 9, 'value'], message: 'c' },
          { path: [], message: 'd' },
        ]),
      ).toEqual({ name: 'a', 'headers.0.value': 'b', other: 'c' })
      expect(errorsByField(editing(), [{ path: ['headers', 0, 'value'], message: 'gone' }])).toEqual({
        'headers.0.name': 'gone',
      })
    })

    it('returns an input that the main process accepts, or errors, whatever was typed', () => {
      const text = fc.oneof(fc.string(), fc.constantFrom('X-Api-Key', 'https://a.example/v2', uuid, ''))
      const header = fc.record({ name: text, value: fc.option(text), stored: fc.boolean() })
      fc.assert(
        fc.property(text, text, fc.array(header), fc.array(text), (name, baseUrl, headers, integrations) => {
          const draft = filledIn({
            name,
            baseUrl,
            headers,
            integrations: integrations.map((id) => ({ id, nickname: id })),
          })
          const { input, errors } = saveInput(draft, [])
          if (input) expect(environmentInputSchema.safeParse(input).success).toBe(true)
          else expect(Object.keys(errors).length).toBeGreaterThan(0)
        }),
      )
    })
  })

  describe('unsaved changes', () => {
    it('are what a save would change', () => {
      const before = editing()
      const draft = editing()
      draft.headers[1]!.value = ''
      draft.headers.push({ stored: false, name: '', value: '' })
      expect(draftsDiffer(draft, before)).toBe(false)
      draft.headers[1]!.value = 'v'
      expect(draftsDiffer(draft, before)).toBe(true)
      expect(draftsDiffer({ ...before, colour: 'pink' }, before)).toBe(true)
    })
  })

  describe('what may lead to another account', () => {
    const before = draftOf(environment())!
    const manual = { ...before.proxy, mode: 'manual' as const, host: 'proxy.example.com', port: '8080' }
    const [first, ...others] = before.headers

    it.each<[string, Partial<EnvironmentDraft>]>([
      ['another base URL', { baseUrl: 'https://other.example.com' }],
      ['a renewed header', { headers: [{ ...first!, value: 'renewed' }, ...others] }],
      ['one header less', { headers: others }],
      ['a proxy', { proxy: manual }],
      ['a certificate authority', { trust: { ...before.trust, kind: 'authority', pem: 'PEM' } }],
    ])('is %s', (_what, more) => {
      expect(changesAccount({ ...before, ...more }, before)).toBe(true)
    })

    it.each<[string, Partial<EnvironmentDraft>]>([
      ['nothing', {}],
      ['a blank behind the base URL', { baseUrl: `${before.baseUrl} ` }],
      ['another name, colour or guard', { name: 'Other', colour: 'teal', readOnly: true, protected: false }],
      ['an empty row of headers', { headers: [...before.headers, { stored: false, name: '', value: '' }] }],
    ])('is not %s', (_what, more) => {
      expect(changesAccount({ ...before, ...more }, before)).toBe(false)
    })
  })

  describe('the base URL while it is typed', () => {
    it('shows what was corrected and what will be saved', () => {
      const draft = filledIn({ baseUrl: ' https://Deploy.example.com/api-host/v2/ ' })
      const { refusal, notes } = baseUrlFeedback(draft, newDraft([]))
      expect(refusal).toBeNull()
      expect(notes.join(' ')).toContain('"/v2"')
      expect(notes.at(-1)).toBe('Will be saved as https://deploy.example.com/api-host')
    })
  })
})

describe('a draft that is filled in', () => {
  const integration = '0f8fad5b-d9cb-469f-a165-70867728950e'

  function environment(profile: Partial<EnvironmentView> = {}, name = 'Production'): Environment {
    return {
      id: 'one',
      name,
      storage: 'keychain',
      profile: environmentView({
        mode: 'self-hosted',
        colour: 'brown',
        protected: true,
        readOnly: true,
        headerNames: ['X-Api-Key'],
        integrations: [integration],
        nicknames: { [integration]: 'Team forge' },
        ...profile,
      }),
      service: 'one',
      problem: null,
    }
  }

  function duplicated(of: Environment, environments = [of]) {
    const copy = duplicateOf(of, environments)
    if (!copy) throw new Error('The profile is readable, so there is a copy.')
    return copy
  }

  describe('duplicating an environment', () => {
    it('copies everything but secrets, and requires the values of the headers', () => {
      const of = environment()
      const { draft, notes } = duplicated(of)
      expect(notes.join(' ')).toContain('Enter the values of the request headers')
      expect(saveInput(draft, [of])).toEqual({
        input: null,
        errors: { 'headers.0.value': 'Enter the value.' },
      })

      draft.headers[0]!.value = 'key'
      expect(saveInput(draft, [of])).toEqual({
        errors: {},
        input: {
          id: null,
          name: 'Production copy',
          baseUrl: 'https://deploy.example.com',
          mode: 'self-hosted',
          colour: 'brown',
          protected: true,
          readOnly: true,
          headers: [{ name: 'X-Api-Key', value: 'key' }],
          integrations: [integration],
          nicknames: { [integration]: 'Team forge' },
          trust: { kind: 'system' },
          proxy: { mode: 'system' },
        },
      })
    })
  })

  it('warns about an environment of a file that can be taken for one that is there', () => {
    const { profile } = environment()
    const imported = (name: string) => importedFrom('a.json', { name, profile: profile! }, [environment()])
    expect(imported('Prоductiоn').notes).toContain(
      'This name can be taken for Production, which you have. Change the name.',
    )
    expect(imported('Production 2').notes.join(' ')).not.toContain('taken for')
  })
})
