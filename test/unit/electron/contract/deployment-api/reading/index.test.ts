import { describe, expect, it } from 'vitest'
import { readDeployment, readDetail, readPage, readRepositories } from '@contract'

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
