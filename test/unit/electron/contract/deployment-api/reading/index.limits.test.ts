import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  answerLimits,
  maxItems,
  parseAnswer,
  readDetail,
  readFound,
  readNamed,
  readPage,
  readRepositories,
} from '@contract'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const named = (index: number, name = 'agent') => ({ id: `d${index}`, name })

/** How long something takes, in milliseconds. */
function timed(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

describe('parsing an answer', () => {
  it.each([
    ['{"a": [1, "[[,{\\"", null]}', { a: [1, '[[,{"', null] }],
    ['\uFEFF[]', []],
    [' "é" ', 'é'],
  ])('returns the value of %j', (text, value) => {
    expect(parseAnswer(bytes(text))).toEqual({ ok: true, value })
  })

  it.each([
    ['nothing', ''],
    ['half of it', '{"resources": ['],
    ['no JSON', 'gone'],
    ['more levels than are read', '['.repeat(1_001) + ']'.repeat(1_001)],
    ['more values than are read', `[${'0,'.repeat(2_000_000)}0]`],
    ['more empty objects than are read', `[${'{},'.repeat(1_000_000)}{}]`],
  ])('refuses %s', (_what, text) => {
    expect(parseAnswer(bytes(text))).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/./) as string,
    })
  })

  it('reads as many levels as it may, and does not count brackets in texts', () => {
    expect(parseAnswer(bytes('['.repeat(1_000) + ']'.repeat(1_000))).ok).toBe(true)
    expect(parseAnswer(bytes(JSON.stringify('["'.repeat(5_000)))).ok).toBe(true)
  })

  it('agrees with JSON.parse for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: 'binary' })), (text) => {
        let expected: unknown
        try {
          expected = { ok: true, value: JSON.parse(new TextDecoder().decode(bytes(text))) as unknown }
        } catch {
          expected = { ok: false, reason: expect.any(String) as string }
        }
        expect(parseAnswer(bytes(text))).toEqual(expected)
      }),
    )
  })
})

describe('a page', () => {
  it('may have ten times as many items as were requested, and not one more', () => {
    const page = (count: number) => ({
      resources: Array.from({ length: count }, (_, i) => named(i)),
      offset: 0,
    })
    expect(readPage(page(maxItems(50)), 50).ok).toBe(true)
    expect(maxItems(50)).toBe(500)
    expect(readPage(page(501), 50)).toEqual({
      ok: false,
      reason: 'it has 501 entries, and 50 were asked for',
    })
  })

  it('may have a hundred items that cannot be read, and not one more', () => {
    const page = (bad: number) => ({ resources: [...Array<object>(bad).fill({}), named(1)], offset: 0 })
    const read = readPage(page(100), 100)
    expect(read).toMatchObject({ ok: true, value: { received: 101, deployments: [{ id: 'd1' }] } })
    expect(read.ok && read.value.unreadable).toHaveLength(100)
    expect(readPage(page(101), 100)).toMatchObject({
      ok: false,
      reason: expect.stringContaining("more than 100 of its entries can't be read") as string,
    })
  })

  it('is cheap to read, however many items it has', () => {
    const resources = Array<object>(900_000).fill({})
    expect(timed(() => readPage({ resources, offset: 0 }, 100))).toBeLessThan(1_000)
    expect(timed(() => readNamed({ resources, offset: 0 }, 100, 'a', 5_000))).toBeLessThan(1_000)
    expect(timed(() => readFound({ resources, offset: 0 }, 1, 'a'))).toBeLessThan(1_000)
    expect(timed(() => readRepositories(resources))).toBeLessThan(1_000)
  })

  it('is cheap to read, however large an item is, and shows the beginnings of texts', () => {
    const members = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`m${index}`, index]))
    const item = { ...members, ...named(1, 'n'.repeat(300_000)), secrets: Array(200_000).fill(1) as number[] }
    const answer = { resources: [item], offset: 0 }
    expect(timed(() => readPage(answer, 1))).toBeLessThan(1_000)
    expect(readPage(answer, 1)).toMatchObject({
      ok: true,
      value: { deployments: [{ name: `${'n'.repeat(500)}…` }] },
    })
  })

  it('excludes an item whose identifier would have to be cut', () => {
    const long = { ...named(1), id: 'i'.repeat(501) }
    expect(readPage({ resources: [long], offset: 0 }, 1)).toMatchObject({
      ok: true,
      value: { deployments: [], unreadable: [{ index: 0 }] },
    })
  })
})

describe('looking for a name', () => {
  it('stores nothing but the name and its other forms', () => {
    const resources = [named(1), named(2, 'agent-2'), named(3, 'Agent'), named(4), null]
    const read = readNamed({ resources, offset: 5 }, 100, 'agent', 5_000)
    expect(read).toMatchObject({ ok: true, value: { unreadable: 1, received: 5, returnedOffset: 5 } })
    expect(read.ok && read.value.deployments.map(({ id }) => id)).toEqual(['d1', 'd3', 'd4'])
  })

  it('counts unreadable items unless they have another name', () => {
    const broken = [null, {}, { name: 7 }, { name: 'agent' }, { name: 'agent-2' }, { name: 'Agent', id: 7 }]
    const read = readNamed({ resources: [named(1), ...broken], offset: 7 }, 100, 'agent', 5_000)
    expect(read).toMatchObject({
      ok: true,
      value: { deployments: [{ id: 'd1' }], unreadable: 5, received: 7 },
    })
  })

  it('skips the first if it was read before, and nothing else that looks like it', () => {
    const pages = { resources: [named(1), named(1), named(2)], offset: 3 }
    const read = readNamed(pages, 100, 'agent', 5_000, 'd1')
    expect(read.ok && read.value.deployments.map(({ id }) => id)).toEqual(['d1', 'd2'])
    // Without an identifier, only the beginning distinguishes two.
    const pad = 'x'.repeat(600)
    const joint = JSON.stringify({ pad, name: 'other' }).slice(0, 500)
    const unlike = readNamed({ resources: [{ pad, name: 'agent' }], offset: 1 }, 100, 'agent', 5_000, joint)
    expect(unlike).toMatchObject({ ok: true, value: { unreadable: 1 } })
  })

  it('counts matches that are too large to compare as unreadable', () => {
    const many = { ...named(1), source_config: { resource_spec: { list: Array(4_000).fill(1) as number[] } } }
    const read = readNamed({ resources: [many, many, named(2)], offset: 3 }, 100, 'agent', 5_000)
    expect(read.ok && read.value.deployments.map(({ id }) => id)).toEqual(['d1', 'd2'])
    expect(read.ok && read.value.unreadable).toBe(1)
    expect(read.ok && read.value.values).toBeLessThanOrEqual(5_000)
  })
})

describe('a deployment that is opened', () => {
  it('is shown as received if possible', () => {
    const answered = { ...named(1), source_config: { repo_url: 'u'.repeat(5_000) }, more: { a: [1, null] } }
    const read = readDetail(answered)
    expect(read.ok && JSON.parse(read.value.json)).toEqual(answered)
    expect(read).toMatchObject({ ok: true, value: { shortened: false, deployment: answered } })
  })

  it('is cut if it is too large, starting with what is nested deepest', () => {
    const deep = JSON.parse('{"a":'.repeat(900) + '1' + '}'.repeat(900)) as unknown
    const answered = {
      spec: { list: Array(100_000).fill({ a: 1 }) as object[] },
      deep,
      text: 't'.repeat(3_000_000),
      texts: Array(100).fill('t'.repeat(90_000)) as string[],
      secrets: [{ name: 'A', value: 'hidden' }],
      ...named(1),
    }
    const read = readDetail(answered)
    expect(read).toMatchObject({ ok: true, value: { shortened: true, deployment: named(1) } })
    expect(JSON.stringify(read)).not.toContain('hidden')
    expect(JSON.stringify(read).length).toBeLessThan(5_000_000)
  })

  it('is never cut inside a character', () => {
    const read = readDetail({ ...named(1), text: '😀'.repeat(100_000) })
    const text = read.ok ? (read.value.deployment.text as string) : ''
    expect(text.endsWith('😀…')).toBe(true)
  })

  it('does not let the name of a member change what an object is', () => {
    const answered = JSON.parse(
      `{"id":"1","name":"a","__proto__":{"x":1},"t":"${'t'.repeat(600_000)}"}`,
    ) as unknown
    const read = readDetail(answered)
    expect(read.ok && 'x' in read.value.deployment).toBe(false)
  })
})

describe('a listing of repositories', () => {
  it('is cut at its maximum, and says how many items there were', () => {
    const answer = Array.from({ length: answerLimits.repositories + 5 }, (_, index) => ({
      name: `r${index}`,
    }))
    const read = readRepositories(answer)
    expect(read.ok && read.value.repositories).toHaveLength(answerLimits.repositories)
    expect(read).toMatchObject({ ok: true, value: { received: answer.length, unreadable: [] } })
  })

  it('is cut where its texts are too long in total', () => {
    const answer = Array.from({ length: 9_000 }, (_, index) => ({
      name: `r${index}`,
      url: 'u'.repeat(2_000),
    }))
    const read = readRepositories(answer)
    expect(JSON.stringify(read).length).toBeLessThan(answerLimits.repositoriesLength * 1.2)
  })
})

it('for any JSON, every reader stays within its limits and never throws', () => {
  const item = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        id: fc.oneof(fc.string(), fc.jsonValue()),
        name: fc.oneof(fc.string(), fc.jsonValue()),
        secrets: fc.jsonValue(),
        source_config: fc.jsonValue(),
        __proto__: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  )
  const answers = fc.oneof(
    fc.jsonValue(),
    fc.record({
      resources: fc.oneof(fc.array(item), fc.jsonValue()),
      offset: fc.oneof(fc.integer(), fc.jsonValue()),
    }),
  )
  fc.assert(
    fc.property(answers, fc.integer({ min: 1, max: 100 }), fc.string(), (answer, limit, text) => {
      const page = readPage(answer, limit)
      if (page.ok) {
        const { deployments, unreadable, received } = page.value
        expect(deployments.length + unreadable.length).toBe(received)
        expect(received).toBeLessThanOrEqual(maxItems(limit))
        expect(unreadable.every(({ reason }) => reason.length <= answerLimits.reasonLength + 1)).toBe(true)
      } else expect(page.reason).not.toBe('')
      const found = readNamed(answer, limit, text, 100)
      expect(!found.ok || found.value.deployments.every(({ name }) => name === text)).toBe(true)
      readFound(answer, limit, text)
      readDetail(answer)
      readRepositories(answer)
    }),
  )
})
