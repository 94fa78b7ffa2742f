import { describe, expect, it } from 'vitest'
import { withoutSecretValues } from '@contract/deployment-api/reading/secret-values'
import { readHeld, withHiddenValues } from '../../../../../electron/main/processes/answers/life'

describe('a deployment that is about to be changed', () => {
  it('has the values of its secrets, and null for those that the service hides', () => {
    const values = ['plain', '', '****', '••••', '[REDACTED]', null, 'p*ss']
    const secrets = values.map((value, index) => ({ name: `S${index}`, value }))
    const read = readHeld({ resources: [{ id: 'a', name: 'agent', secrets }], offset: 1 }, 'a')
    expect(read).toMatchObject({ ok: true, value: { detail: { deployment: { name: 'agent' } } } })
    expect(read.ok && read.value?.secrets.map(({ value }) => value)).toEqual([
      ...['plain', null, null, null, null, null, 'p*ss'],
    ])
  })

  it('is null where the answer has another one', () => {
    expect(readHeld({ resources: [{ id: 'b', name: 'agent' }], offset: 1 }, 'a')).toEqual({
      ok: true,
      value: null,
    })
  })
})

describe('values that were hidden in a resource spec', () => {
  const container = (name: string, env: object[]) => ({ name, env })
  const held = {
    sidecars: [
      container('proxy', [{ name: 'TOKEN', value: 'one' }]),
      container('logs', [
        { name: 'KEY', value: 'two' },
        { name: 'MASKED', value: '***' },
      ]),
    ],
  }

  it('are those of the same variable, wherever it was moved', () => {
    const edited = {
      cpu: 2,
      sidecars: [container('logs', [{ name: 'KEY', value: '•••' }]), container('proxy', [])],
    }
    expect(withHiddenValues(edited, held)).toEqual({
      value: {
        cpu: 2,
        sidecars: [container('logs', [{ name: 'KEY', value: 'two' }]), container('proxy', [])],
      },
      missing: [],
    })
  })

  it('are missing where the variable is new, was renamed, or the service hides it, too', () => {
    const edited = {
      sidecars: [
        container('logs', [
          { name: 'MASKED', value: '•••' },
          { name: 'RENAMED', value: '•••' },
        ]),
      ],
    }
    expect(withHiddenValues(edited, held).missing).toEqual([
      ['sidecars', 0, 'env', 0, 'value'],
      ['sidecars', 0, 'env', 1, 'value'],
    ])
  })

  it('are also parts of texts: an edited text says no more what was hidden in it', () => {
    const known = { labels: { docs: 'https://ann:pass-word@example.com/a' } }
    const { docs } = withoutSecretValues(known).labels
    const at = (edited: string) => withHiddenValues({ labels: { docs: edited } }, known)
    expect(docs).toContain('•••')
    expect(at(docs)).toEqual({ value: known, missing: [] })
    expect(at(`${docs}/b`).missing).toEqual([['labels', 'docs']])
  })
})
