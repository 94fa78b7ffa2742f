import { describe, expect, it } from 'vitest'
import {
  readDeployment,
  readDetail,
  readPage,
  readRepositories,
  answerLimits,
  maxItems,
  parseAnswer,
  deploymentSchema,
} from '@contract'
import fc from 'fast-check'
import { summarise, summariseInFull } from '@contract/deployment-api/reading/summarise'
import { readFound, readNamed } from '../../../../../electron/main/processes/answers/lookup'

describe('answers', () => {
  const deployment = {
    id: '1',
    name: 'invoice-agent',
    source: 'repohost',
    source_config: { repo_url: 'https://x.example', resource_spec: { cpu: 1 } },
    source_revision_config: { repo_ref: 'main' },
    secrets: [{ name: 'A', value: 'hidden' }],
    status: 'READY',
  }

  describe('reading a page', () => {
    it('keeps unknown statuses and sources', () => {
      const odd = { ...deployment, status: 'AWAITING_FINAL_DELETE', source: 'future', region: { name: 'eu' } }
      const read = readPage({ resources: [odd], offset: 1, total: 5 }, 1)
      expect(read).toMatchObject({
        ok: true,
        value: {
          received: 1,
          returnedOffset: 1,
          unreadable: [],
          deployments: [{ id: '1', status: 'AWAITING_FINAL_DELETE', source: 'future', repo_ref: 'main' }],
        },
      })
    })

    it('reads members of another type as null, and never drops a deployment because of them', () => {
      const read = readDeployment({
        ...deployment,
        source: 3,
        source_config: 'none',
        source_revision_config: { repo_ref: 7 },
        status: null,
        created_at: 5,
        image_version: [],
        latest_revision_id: {},
        secret_references: 'x',
      })
      expect(read).toMatchObject({
        ok: true,
        value: {
          id: '1',
          source: 'unknown',
          status: 'UNKNOWN',
          created_at: null,
          image_version: null,
          latest_revision_id: null,
          secret_references: null,
          source_config: { repo_url: null, resource_spec: null },
          source_revision_config: { repo_ref: null },
        },
      })
    })

    it('keeps the rest of a page if an item cannot be read, and says which one', () => {
      const read = readPage({ resources: [deployment, null, { name: 'no id' }, deployment], offset: 4 }, 4)
      expect(read.ok && read.value.deployments).toHaveLength(2)
      expect(read.ok && read.value.received).toBe(4)
      expect(read.ok && read.value.unreadable.map(({ index }) => index)).toEqual([1, 2])
      expect(read.ok && read.value.unreadable[1]!.reason).toContain('id')
    })

    it('cannot read a deployment whose identifier is not well formed, to which no link could lead', () => {
      const odd = ['s\ud800', '\udc00s', 'a\ude00\ud83db'].map((id) => ({ ...deployment, id }))
      const read = readPage({ resources: [...odd, { ...deployment, id: '\ud83d\ude00' }], offset: 4 }, 4)
      expect(read.ok && read.value.deployments.map(({ id }) => id)).toEqual(['\ud83d\ude00'])
      expect(read.ok && read.value.unreadable.map(({ index }) => index)).toEqual([0, 1, 2])
      for (const answer of odd) {
        expect(readDetail(answer)).toEqual({ ok: false, reason: expect.stringContaining('id: ') as string })
      }
    })

    it.each([null, [], 'text', {}, { resources: 3 }, { resources: { a: 1 } }, { offset: 1 }])(
      'says why %j is not a page',
      (answer) => {
        const read = readPage(answer, 20)
        expect(read.ok).toBe(false)
        expect(!read.ok && read.reason).not.toBe('')
      },
    )
  })

  describe('values of secrets', () => {
    it('are removed from everything that is read', () => {
      const page = readPage({ resources: [deployment], offset: 1 }, 1)
      const one = readDeployment(deployment)
      expect(JSON.stringify(page)).not.toContain('hidden')
      expect(JSON.stringify(one)).not.toContain('hidden')
      expect(one.ok && one.value.secrets).toEqual([{ name: 'A', value: '' }])
    })
  })

  describe('reading repositories', () => {
    it('keeps readable items and names the others', () => {
      const read = readRepositories([{ name: 'agent', id: '7', stars: 3 }, { id: 1 }, 'x'])
      expect(read).toMatchObject({
        ok: true,
        value: {
          repositories: [{ name: 'agent', id: '7', url: null, owner: null, default_branch: null }],
          received: 3,
          unreadable: [{ index: 1 }, { index: 2 }],
        },
      })
    })

    it('says that an object is not a list', () => {
      expect(readRepositories({ repositories: [] })).toEqual({
        ok: false,
        reason: 'expected a list of repositories',
      })
    })
  })
})

describe('limits', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
  const named = (index: number, name = 'agent') => ({ id: `d${index}`, name })

  describe('parsing an answer', () => {
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
  })

  describe('looking for a name', () => {
    it('counts unreadable items unless they have another name', () => {
      const broken = [null, {}, { name: 7 }, { name: 'agent' }, { name: 'agent-2' }, { name: 'Agent', id: 7 }]
      const read = readNamed({ resources: [named(1), ...broken] }, 100, 'agent')
      expect(read).toMatchObject({
        ok: true,
        value: { deployments: [{ id: 'd1' }], unreadable: 5 },
      })
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
        const found = readNamed(answer, limit, text)
        expect(!found.ok || found.value.deployments.every(({ name }) => name === text)).toBe(true)
        readFound(answer, limit, text)
        readDetail(answer)
        readRepositories(answer)
      }),
    )
  })
})

describe('a summary', () => {
  const long = 'x'.repeat(answerLimits.summaryTextLength + 1)
  const deployment = deploymentSchema.parse({
    id: '1',
    name: 'invoice-agent',
    source: 'repohost',
    source_config: { repo_url: 'https://x.example', resource_spec: { cpu: 1 } },
    source_revision_config: { repo_ref: 'main', image_uri: long },
    secrets: [{ name: 'A', value: 'hidden' }],
    status: 'READY',
  })

  it('has what the list shows and no secrets', () => {
    const summary = summarise(deployment)
    expect(summary).toMatchObject({
      id: '1',
      name: 'invoice-agent',
      repo_url: 'https://x.example',
      repo_ref: 'main',
    })
    expect(JSON.stringify(summary)).not.toContain('secret')
  })

  it('cuts long texts, unless the full text is requested', () => {
    expect(summarise(deployment).image_uri).toBe(`${long.slice(1)}…`)
    expect(summariseInFull(deployment)).toEqual({ ...summarise(deployment), image_uri: long })
  })
})
