import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type * as FormIndexes from '../../../../../electron/main/log/form-index'
import { createKnownSecrets } from '../../../../../electron/main/log/known-secrets'

/** How many characters of forms are in the indexes, each as often as it was added. */
const held = vi.hoisted(() => ({ characters: 0 }))

vi.mock('../../../../../electron/main/log/form-index', async (original) => {
  const { createFormIndex } = await original<typeof FormIndexes>()
  return {
    createFormIndex: () => {
      const index = createFormIndex()
      const { add, remove } = index
      index.add = (form) => {
        held.characters += form.length
        add(form)
      }
      index.remove = (form) => {
        held.characters -= form.length
        remove(form)
      }
      return index
    },
  }
})

beforeEach(() => {
  held.characters = 0
})

afterEach(() => void vi.restoreAllMocks())

/** How many characters were taken out of texts to look them up while `work` ran. */
function sliced(work: () => void): number {
  let characters = 0
  // eslint-disable-next-line @typescript-eslint/unbound-method -- is called with a text below
  const slice = String.prototype.slice
  const counting = vi.spyOn(String.prototype, 'slice').mockImplementation(function (
    this: string,
    begin,
    end,
  ) {
    const part = slice.call(this, begin, end)
    characters += part.length
    return part
  })
  work()
  counting.mockRestore()
  return characters
}

describe('the work on a text', () => {
  const alike = Array.from(
    { length: 121 },
    (_, index) => 'a'.repeat(index + 5) + String(index).padStart(3, '0'),
  )

  it.each([
    ['as it is', 'a'],
    ['in hexadecimal', '61'],
    ['escaped', String.raw`\u0061`],
  ])('grows with its length, however many secrets begin alike, %s', (_how, sign) => {
    const known = createKnownSecrets(8)
    known.learn(alike)
    const text = sign.repeat(20_000 / sign.length)
    expect(sliced(() => known.hide(text, '•'))).toBeLessThan(text.length * 1_000)
  })

  it('ends with what takes too much of it, and nothing behind that is shown', () => {
    const known = createKnownSecrets(8)
    known.learn(alike)
    const shown = known.hide(`It says: ${'a'.repeat(20_000)} ${alike.at(-1)!} and a-secret`, '•')
    expect(shown).toMatch(/^It says: a+•$/)
    expect(shown).not.toContain(alike.at(-1))
  })

  it('is enough where a thousand secrets of all lengths begin alike and a text has them all', () => {
    const secrets = Array.from(
      { length: 1_000 },
      (_, index) => `https://host.example/?token=${'+x'.repeat(index % 40)}&${String(index)}`,
    )
    const known = createKnownSecrets(8)
    known.learn(secrets)
    const shown = known.hide(secrets.join(' und '), '•')
    expect(shown).toBe(secrets.map(() => '•').join(' und '))
  })
})

describe('the memory', () => {
  it('is bounded by what forms take, and has what came last', () => {
    const known = createKnownSecrets()
    const value = (call: number, index: number): string =>
      Array.from({ length: 87 }, (_, part) =>
        `${String(call)}${String(index)}.${String(part)}`.padEnd(12, `"\\'/`),
      ).join('')
    for (let call = 0; call < 2; call += 1) {
      known.learn(Array.from({ length: 1_000 }, (_, index) => value(call, index)))
      expect(held.characters).toBeLessThanOrEqual(16_000_000)
      for (const index of [0, 999]) expect(known.hide(value(call, index), '')).not.toMatch(/\w/)
    }
  })
})
