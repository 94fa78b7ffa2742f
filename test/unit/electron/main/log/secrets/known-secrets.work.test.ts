import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { secretLimits } from '@contract'
import { redactCredentials } from '../../../../../../electron/main/http/credentials'
import { visible } from '../../../../../../electron/main/http/failures/plain-text'
import { createSentSecrets } from '../../../../../../electron/main/http/failures/sent-secrets'
import type * as FormIndexes from '../../../../../../electron/main/log/secrets/form-index'
import { createKnownSecrets } from '../../../../../../electron/main/log/secrets/known-secrets'
import { findSecrets } from '../../../../../../electron/main/log/secrets/secrets-of'
import { least, slowness, turnsOf } from '../../../../../support/least'

/** How many characters of forms are in the indexes. A form counts as often as it was added. */
const held = vi.hoisted(() => ({ characters: 0 }))

vi.mock('../../../../../../electron/main/log/secrets/form-index', async (original) => {
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

/** How many characters were sliced from texts to look them up while `work` ran. */
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
  ])('grows with its length, however many secrets begin alike, %s', async (_how, sign) => {
    const known = createKnownSecrets(8)
    await known.learn(alike)
    const text = sign.repeat(20_000 / sign.length)
    expect(sliced(() => known.hide(text, '•'))).toBeLessThan(text.length * 1_000)
  })

  it('stops where it takes too much, and nothing after that is shown', async () => {
    const known = createKnownSecrets(8)
    await known.learn(alike)
    const shown = known.hide(`It says: ${'a'.repeat(20_000)} ${alike.at(-1)!} and a-secret`, '•')
    expect(shown).toMatch(/^It says: a+•$/)
    expect(shown).not.toContain(alike.at(-1))
  })

  it('is enough if a thousand secrets of all lengths begin alike and a text has them all', async () => {
    const secrets = Array.from(
      { length: 1_000 },
      (_, index) => `https://host.example/?token=${'+x'.repeat(index % 40)}&${String(index)}`,
    )
    const known = createKnownSecrets(8)
    await known.learn(secrets)
    const shown = known.hide(secrets.join(' und '), '•')
    expect(shown).toBe(secrets.map(() => '•').join(' und '))
  })
})

describe('an ordinary long text', () => {
  const hook = 'https://a-long-host-name.internal.example/services/of-a-team/v2/hooks/'
  const path = '/usr/local/lib/python3.11/site-packages/'
  /** Seven letters and digits or more, different for each number. */
  const end = (number: number): string =>
    `${(number * 7_919_177).toString(36).padStart(7, '0')}${'xY4z'.repeat(number % 4)}`
  const unicode = (text: string): string =>
    Array.from(text, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`).join('')

  it.each<[string, string, (other: string) => string]>([
    ['addresses', hook, (other) => hook + other],
    ['the beginning of addresses', hook, () => hook],
    ['addresses within others', hook, (other) => encodeURIComponent(hook + other)],
    ['escaped addresses', hook, (other) => unicode(hook + other)],
    ['addresses in hexadecimal', hook, (other) => Buffer.from(hook + other).toString('hex')],
    ['paths', path, (other) => `${path}${other}/__init__.py`],
    ['numbers', '10000', (other) => `10000-${other}`],
  ])('is shown completely if it has %s, however many secrets begin so', async (_what, begin, write) => {
    const known = createKnownSecrets(8)
    await known.learn(Array.from({ length: 1_000 }, (_, index) => begin + end(index)))
    const text = Array.from({ length: 300 }, (_, index) => write(end(index + 1_000))).join(' and ')
    expect(known.hide(text, '•')).toBe(text)
  })
})

describe('long secrets that come together', () => {
  let seed = 1
  const random = (below: number): number => {
    seed = (seed * 48_271) % 0x7fff_ffff
    return seed % below
  }
  /** Values that each way of quoting writes differently. */
  const quotable = Array.from({ length: 1_000 }, () =>
    Array.from({ length: 1_047 }, () => `'"\\/<>&\u00e4\u00f6`[random(9)]!).join(''),
  )
  const allLength = quotable.join('').length

  it('take a few times their length, whatever they consist of', async () => {
    await createKnownSecrets(8).learn(quotable)
    expect(held.characters).toBeLessThan(allLength * 4)
  })

  it.each<[string, (round: number) => Promise<unknown>]>([
    ['by the log', () => createKnownSecrets().learn(quotable.map((secret) => `\u200B${secret}`))],
    [
      'with a request',
      () =>
        createSentSecrets().add(
          'https://a.example',
          quotable.map((secret) => `\u200B${secret}`),
        ),
    ],
    [
      'as credentials',
      (round) => {
        // Credentials that were registered before are done in one turn.
        const headers = Object.fromEntries(
          quotable.map((value, index) => [`X-Api-Key-${index}`, `${round}${value}`]),
        )
        const target = { environmentId: null, baseUrl: 'https://a.example', headers }
        return redactCredentials(new TextEncoder().encode('{}'), target)
      },
    ],
  ])('never block everything else for long while they are registered %s', async (_how, learn) => {
    let round = 0
    const measure = async (): Promise<number> => {
      const turns = await turnsOf(() => learn((round += 1)))
      expect(turns.length).toBeGreaterThan(5)
      // A garbage collection may add to a turn.
      return turns[1]!
    }
    const bound = 50 * slowness()
    expect(await least(bound, measure)).toBeLessThan(bound)
  })

  const json = (text: string): string => JSON.stringify(text).slice(1, -1)
  const apostrophes = (text: string): string => text.replace(/[\\']/g, '\\$&')

  it.each<[string, (text: string) => string]>([
    ['as they are', (text) => text],
    ['in capitals', (text) => text.toUpperCase()],
    ['in JSON', json],
    ['in JSON with slashes escaped', (text) => json(text).replaceAll('/', '\\/')],
    ['in JSON, twice', (text) => json(json(text))],
    ['between apostrophes', apostrophes],
    ['in SQL', (text) => text.replaceAll("'", "''")],
    ['between apostrophes, in JSON', (text) => json(apostrophes(text))],
  ])('are all hidden %s', async (_how, write) => {
    const known = createKnownSecrets(8)
    const secrets = Array.from({ length: 100 }, (_, index) =>
      Array.from(
        { length: 16 },
        (_, part) =>
          `line ${String(index)}.${String(part)}: "it's/C:\\new\\'table'"\n\tand \u0001${'x"\\/'.repeat(part)}`,
      ).join('\n'),
    )
    await known.learn(secrets)
    for (const secret of secrets) {
      const shown = known.hide(`before <${write(secret)}> after`, '')
      expect(shown).toMatch(/^before <\W{0,9}> after$/)
    }
  })
})

describe('the store', () => {
  /** A text with the longest possible forms and this number of pieces. */
  const value = (call: number, index: number, pieces: number): string =>
    Array.from({ length: pieces }, (_, part) =>
      `${String(call)}${String(index)}.${String(part)}'/  `.padEnd(64, '\\'),
    ).join('')

  it('is limited by the length of forms, and has what was added last', async () => {
    const known = createKnownSecrets()
    for (let call = 0; call < 3; call += 1) {
      await known.learn(Array.from({ length: 1_000 }, (_, index) => value(call, index, 16)))
      expect(held.characters).toBeLessThanOrEqual(32_000_000)
      for (const index of [0, 999]) expect(known.hide(value(call, index, 16), '')).not.toMatch(/\w/)
    }
  })

  it('does not delay adding known secrets while others add many', async () => {
    const known = createKnownSecrets()
    await known.learn(['a-known-password'])
    let isLearnt = false
    const others = known
      .learn(Array.from({ length: 1_000 }, (_, index) => value(0, index, 16)))
      .then(() => (isLearnt = true))
    await known.learn(['a-known-password', ' '])
    expect(isLearnt).toBe(false)
    await others
    expect(known.hide('the a-known-password', '')).toBe('the ')
  })

  it.each([
    ['a URL of colons', `http://${'%:'.repeat(3_900_000)}@`],
    ['brackets', { value: '['.repeat(1_900_000) }],
    [
      'pairs of brackets in JSON',
      `[${Array(19_000)
        .fill('['.repeat(98) + ']'.repeat(98))
        .join()}]`,
    ],
    ['objects in JSON', `[${'{},'.repeat(1_290_000)}{}]`],
    ['nested objects in JSON', '{"a":'.repeat(630_000)],
    ['numbers in JSON', `[${'1,'.repeat(1_900_000)}1]`],
    ['quotation marks in JSON', `["${'\\"'.repeat(1_900_000)}"]`],
    ['backslashes in JSON', `["${'\\'.repeat(3_900_000)}"]`],
    ['members', Object.fromEntries(Array.from({ length: 99_000 }, (_, index) => [`member${index}`, 'x']))],
  ])(
    'registers the secrets of an input that consists of %s in a few steps, none of them long',
    (_what, input) => {
      let steps = 0
      let found = 0
      for (const secret of findSecrets(input)) {
        steps += 1
        if (secret !== '') found += 1
      }
      expect(found).toBeLessThanOrEqual(5)
      expect(steps).toBeLessThan(200_000)
    },
  )

  it('has all that one request can have, whatever it consists of', async () => {
    const { allValuesLength, valueLength } = secretLimits
    const secrets = [
      ...Array.from({ length: 50 }, (_, index) => value(1, index, 8_192 / 64)),
      ...Array.from({ length: allValuesLength / valueLength }, (_, index) =>
        value(2, index, valueLength / 64),
      ),
      'a-Password-0123456789'.padEnd(500, '+x'),
    ]
    const known = createKnownSecrets(8)
    await known.learn(secrets)
    for (const secret of secrets) expect(known.hide(secret, '')).not.toMatch(/\w/)
  })

  it.each(['came', 'was known and came again'])(
    'keeps a short value that %s with long ones that have no room',
    async (how) => {
      const key = 'a-Key-0123456789'
      const sent = createSentSecrets()
      if (how !== 'came') await sent.add('https://room.example', [key])
      const long = Array.from({ length: 11 }, (_, index) => value(3, index, 2_048))
      const known = await sent.add('https://room.example', [...long, key])
      // They are also stored in the form in which they are shown.
      expect(known.hide(visible(long[10]!), '')).not.toMatch(/\w/)
      expect(known.hide(`The key ${key} is refused.`, '•')).toBe('The key • is refused.')
    },
  )
})
