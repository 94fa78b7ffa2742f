import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  environmentInputSchema,
  environmentProfileSchema,
  headerNameSchema,
  headerValueSchema,
} from '@contract'

const input = {
  id: null,
  name: 'Production',
  baseUrl: 'https://deploy.example.com',
  mode: 'cloud',
  colour: 'red',
  protected: true,
  headers: [{ name: 'X-Api-Key', value: 'secret' }],
  integrations: [],
}

const issuesOf = (changes: object): string[] => {
  const issues = environmentInputSchema.safeParse({ ...input, ...changes }).error?.issues ?? []
  return [...new Set(issues.map(({ path }) => path.join('.')))]
}

const anyCharacter = fc.nat(0xffff).map((code) => String.fromCharCode(code))

describe('the input of the environment dialog', () => {
  it('is read as it is', () => {
    expect(environmentInputSchema.parse(input)).toEqual(input)
  })

  it.each([
    [{ name: ' ' }, ['name']],
    [{ name: 'x'.repeat(61) }, ['name']],
    [{ name: 'Production\u202egnigats' }, ['name']],
    [{ name: 'Two\nlines' }, ['name']],
    [{ name: 'Zero\u200bwidth' }, ['name']],
    [{ baseUrl: 'https://ann:secret@deploy.example.com' }, ['baseUrl']],
    [{ mode: 'hybrid' }, ['mode']],
    [{ colour: 'mauve' }, ['colour']],
    [{ integrations: ['not-a-uuid'] }, ['integrations.0']],
    [{ more: true }, ['']],
    [{ headers: [{ name: 'Two Words', value: 'x' }] }, ['headers.0.name']],
    [{ headers: [{ name: 'X', value: '' }] }, ['headers.0.value']],
    [
      {
        headers: [
          { name: 'X-Key', value: '1' },
          { name: 'x-key', value: '2' },
        ],
      },
      ['headers.1.name'],
    ],
  ])('is refused with %j', (changes, paths) => {
    expect(issuesOf(changes)).toEqual(paths)
  })

  it('keeps a stored header value with null', () => {
    expect(issuesOf({ headers: [{ name: 'X-Api-Key', value: null }] })).toEqual([])
  })
})

describe('a request header', () => {
  it.each([
    'Host',
    'cookie',
    'Content-Type',
    'Content-Length',
    'Transfer-Encoding',
    'Sec-Fetch-Mode',
    'Proxy-X',
  ])('cannot be %s, which the application sets itself', (name) => {
    expect(headerNameSchema.safeParse(name).success).toBe(false)
  })

  it('cannot smuggle another header or a request in', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom('\r', '\n', '\0', 'é', '\u2028'),
        (text, bad) => {
          expect(headerValueSchema.safeParse(`a${text}${bad}${text}b`).success).toBe(false)
          expect(headerNameSchema.safeParse(`a${text}${bad}b`).success).toBe(false)
        },
      ),
    )
  })

  it('that passes is accepted by fetch as it is', () => {
    const token = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,30}$/)
    const value = fc.stringMatching(/^[\x21-\x7e][\x20-\x7e\t]{0,60}$/)
    fc.assert(
      fc.property(token, value, (name, text) => {
        const parsedName = headerNameSchema.safeParse(name)
        const parsedValue = headerValueSchema.safeParse(text)
        if (!parsedName.success || !parsedValue.success) return
        expect(new Headers([[parsedName.data, parsedValue.data]]).get(name)).toBe(parsedValue.data)
      }),
    )
  })
})

it('a profile of another version is not read as one of ours', () => {
  const { id, ...profile } = input
  expect(id).toBeNull()
  expect(environmentProfileSchema.safeParse({ ...profile, version: 1 }).success).toBe(true)
  expect(environmentProfileSchema.safeParse({ ...profile, version: 2 }).success).toBe(false)
})
