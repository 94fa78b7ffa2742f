import { beforeEach, describe, expect, it, vi } from 'vitest'
import { noteCredentials, redactCredentials } from '../../../../../electron/main/http/credentials'
import type { HttpTarget } from '../../../../../electron/main/http/types'
import type * as SecretForms from '../../../../../electron/main/log/secrets/secret-forms'

/** The number of characters of values that searches were prepared for. */
const prepared = vi.hoisted(() => ({ characters: 0 }))

vi.mock('../../../../../electron/main/log/secrets/secret-forms', async (original) => {
  const forms = await original<typeof SecretForms>()
  return {
    ...forms,
    *formsOfEach(...args: Parameters<typeof forms.formsOfEach>) {
      for (const one of forms.formsOfEach(...args)) {
        prepared.characters += one?.[0].length ?? 0
        yield one
      }
    },
  }
})

beforeEach(() => {
  prepared.characters = 0
})

const value = (round: number, index: number, length: number): string =>
  `Key-${String(round)}-${String(index)}-`.padEnd(length, `x${String(round)}Y${String(index)}z`)

/** Fifty headers, the most that a page can save, each with this many characters. */
const headers = (round: number, length: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`X-Key-${String(index)}`, value(round, index, length)]),
  )

const at = (name: string, own: Record<string, string>, environmentId: string | null = 'e'): HttpTarget => ({
  environmentId,
  baseUrl: `http://${name}.example`,
  headers: own,
})

const search = async (target: HttpTarget, text = '{}'): Promise<string> =>
  Buffer.from((await redactCredentials(Buffer.from(text), target))!.body).toString()

describe('credentials of earlier requests', () => {
  it.each([
    ['by environments', 'e'],
    ['to try it', null],
  ])('make a later request slower by a limited amount: %s', async (how, environmentId) => {
    const name = how.replaceAll(' ', '-')
    for (let round = 0; round < 20; round += 1)
      noteCredentials(at(name, headers(round, 8_000), environmentId))
    await search(at(name, { 'X-Key': 'the-Last-key-0123456789' }))
    expect(prepared.characters).toBeLessThan(150_000)
  })

  it('are kept if they are short, and the newest of the long ones', async () => {
    const own = { 'X-Key': 'an-Early-key-0123456789' }
    noteCredentials(at('long', own))
    for (let round = 0; round < 8; round += 1) noteCredentials(at('long', headers(round, 8_000)))
    noteCredentials(at('long', { 'X-Key': value(100, 100, 2_000) }))
    const shown = await search(
      at('long', { 'X-Key': 'a-Later-key-0123456789' }),
      `${own['X-Key']} ${value(100, 100, 2_000)}`,
    )
    expect(shown).toMatch(/^••• (?:•••)+$/)
  })
})

describe('a prepared search', () => {
  it('is kept for sixteen usual environments', async () => {
    const targets = Array.from({ length: 16 }, (_, index) =>
      at(`usual-${String(index)}`, headers(index, 100)),
    )
    for (const target of targets) await search(target)
    prepared.characters = 0
    for (const target of targets) await search(target)
    expect(prepared.characters).toBe(0)
  })

  it('is kept for one or two environments if their values are long', async () => {
    const targets = [0, 1, 2].map((index) => at(`large-${String(index)}`, headers(index, 8_000)))
    for (const target of targets) await search(target)
    prepared.characters = 0
    await search(targets[2]!)
    expect(prepared.characters).toBe(0)
    await search(targets[0]!)
    expect(prepared.characters).toBeGreaterThan(0)
  })
})
