import type { Environment, EnvironmentView } from '@contract'
import { describe, expect, it } from 'vitest'
import { saveInput } from '@/screens/environments/dialog/draft'
import { duplicateOf, importedFrom } from '@/screens/environments/dialog/prefilled'
import { environmentView } from '../../../../../support/builders/environment-view'

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
    expect(saveInput(draft, [of])).toEqual({ ok: false, errors: { 'header-0-value': 'Enter the value.' } })

    draft.headers[0]!.value = 'key'
    expect(saveInput(draft, [of])).toEqual({
      ok: true,
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
