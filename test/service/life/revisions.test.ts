import { afterAll, beforeAll, describe, expect } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import { type ServiceHere, startService } from '../../support/service/service-here'
import {
  ask,
  create,
  type ErrorBody,
  listAll,
  nobody,
  type Revision,
  revisionsOf,
  settled,
} from '../../support/service/client'

// An extension: the revisions of a deployment.

const it = testOf(startService)
let service: ServiceHere
let slow: ServiceHere

beforeAll(async () => {
  ;[service, slow] = await Promise.all([
    startService({ provisionMs: 400 }),
    startService({ provisionMs: 3_600_000 }),
  ])
})
afterAll(() => Promise.all([service.dispose(), slow.dispose()]))

const statusesOf = (revisions: Revision[]): string[] => revisions.map(({ status }) => status)

const add = (base: string, id: string, repo_ref: string) =>
  ask<Revision>(base, 'POST', `${id}/revisions`, { source_revision_config: { repo_ref } })

describe('a revision', () => {
  it('goes through its statuses in their order', async () => {
    const { id, latest_revision_id: revision } = await create(service.url, 'repohost')
    const path = `${id}/revisions/${revision}`
    const seen: Revision[] = []
    await expect
      .poll(
        async () => {
          const { body } = await ask<Revision>(service.url, 'GET', path)
          if (seen.at(-1)?.status !== body.status) seen.push(body)
          return body.status
        },
        { timeout: 10_000, interval: 5 },
      )
      .toBe('DEPLOYED')
    const order = ['AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING', 'DEPLOYED']
    expect(statusesOf(seen)).toEqual(order.filter((status) => statusesOf(seen).includes(status)))
    const times = seen.map(({ updated_at }) => Date.parse(updated_at))
    expect([...times].sort((one, other) => one - other)).toEqual(times)
    expect((await ask(service.url, 'GET', id)).body.updated_at).toBe(seen.at(-1)!.updated_at)
  })

  it('is listed with the others, the newest first, by page and by status', async () => {
    const { id } = await create(slow.url, 'repohost')
    for (const ref of ['one', 'two', 'three']) expect((await add(slow.url, id, ref)).status).toBe(201)
    const all = await revisionsOf(slow.url, id)
    expect(all.map(({ source_revision_config: { repo_ref } }) => repo_ref)).toEqual([
      'three',
      'two',
      'one',
      'main',
    ])
    expect(statusesOf(all)).toEqual(['QUEUED', 'QUEUED', 'QUEUED', 'AWAITING_BUILD'])
    expect((await ask(slow.url, 'GET', id)).body.latest_revision_id).toBe(all[0]!.id)
    expect(await revisionsOf(slow.url, id, '?limit=2&offset=1')).toEqual(all.slice(1, 3))
    expect(await revisionsOf(slow.url, id, '?status=QUEUED')).toEqual(all.slice(0, 3))
    expect(await revisionsOf(slow.url, id, '?status=AWAITING_BUILD,DEPLOYED')).toEqual(all.slice(3))
    expect(await revisionsOf(slow.url, id, '?status=')).toEqual(all)
    for (const query of ['status=READY', 'limit=0', 'limit=101', 'offset=-1']) {
      expect((await ask(slow.url, 'GET', `${id}/revisions?${query}`)).status).toBe(422)
    }
  })

  it('waits for the one before it, and none is skipped', async () => {
    const { id } = await create(service.url, 'repohost')
    const made = [await add(service.url, id, 'one'), await add(service.url, id, 'two')]
    expect(made.map(({ body }) => body.status)).toEqual(['QUEUED', 'QUEUED'])
    const active = new Set<string | null>()
    await expect
      .poll(
        async () => {
          const { body } = await ask(service.url, 'GET', id)
          active.add(body.active_revision_id)
          return body.active_revision_id
        },
        { timeout: 20_000, interval: 10 },
      )
      .toBe(made[1]!.body.id)
    expect(active).toContain(made[0]!.body.id)
    expect(statusesOf(await revisionsOf(service.url, id))).toEqual(['DEPLOYED', 'DEPLOYED', 'DEPLOYED'])
  })

  it.each(['interrupt', 'interruption'])('ends by %s, and the next one continues', async (action) => {
    const { id, latest_revision_id: first } = await create(slow.url, 'repohost')
    const { body: second } = await add(slow.url, id, 'second')
    const ended = await ask<Revision>(slow.url, 'POST', `${id}/revisions/${first}/${action}`)
    expect([ended.status, ended.body.status]).toEqual([200, 'INTERRUPTED'])
    const [next, last] = await revisionsOf(slow.url, id)
    expect([next!.id, next!.status, last]).toEqual([second.id, 'AWAITING_BUILD', ended.body])
    const again = await ask<Revision>(slow.url, 'POST', `${id}/revisions/${first}/${action}`)
    expect([again.status, again.body]).toEqual([200, ended.body])
    await ask(slow.url, 'POST', `${id}/revisions/${second.id}/${action}`)
    const after = (await ask(slow.url, 'GET', id)).body
    expect([after.status, after.active_revision_id]).toEqual(['READY', null])
  })

  it('is deployed again as it was', async () => {
    const made = await create(service.url, 'repohost')
    await add(service.url, made.id, 'second')
    await settled(service.url, made.id)
    const path = `${made.id}/revisions/${made.latest_revision_id}`
    const again = await ask(service.url, 'POST', `${path}/redeploy`)
    expect([again.status, again.body.id]).toEqual([200, made.id])
    expect(again.body.source_revision_config.repo_ref).toBe('main')
    const after = await settled(service.url, made.id)
    expect(after.active_revision_id).toBe(again.body.latest_revision_id)
    expect(after.source_revision_config.repo_ref).toBe('main')
    const refused = await ask<ErrorBody>(service.url, 'POST', `${path}/interrupt`)
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      `Revision ID ${made.latest_revision_id} can't be interrupted: it is deployed.`,
    ])
  })

  it("answers 404 where it or its deployment doesn't exist, and 409 to too many", async () => {
    const [one, other] = [await create(slow.url), await create(slow.url)]
    for (const id of [`${one.id}/revisions/${nobody()}`, `${one.id}/revisions/${other.latest_revision_id}`]) {
      expect((await ask(slow.url, 'GET', id)).status).toBe(404)
      for (const action of ['redeploy', 'interrupt']) {
        expect((await ask(slow.url, 'POST', `${id}/${action}`)).status).toBe(404)
      }
    }
    expect((await ask(slow.url, 'GET', `${nobody()}/revisions`)).status).toBe(404)
    const answers: Awaited<ReturnType<typeof add>>[] = []
    while (answers.length < 110) {
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => add(slow.url, one.id, 'x')))))
    }
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(99)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]))
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(99)
  })
})

it('the sample has revisions too, some of which failed: with a message and a log that ends with it', async ({
  started,
}) => {
  const sample = await started({ sample: 250 })
  const failed: Revision[] = []
  for (const { id, latest_revision_id: latest, active_revision_id: active } of (
    await listAll(sample.url)
  ).filter((each) => each.active_revision_id !== each.latest_revision_id)) {
    const revisions = await revisionsOf(sample.url, id)
    expect(revisions.map((each) => each.id)).toEqual([latest, active].filter((each) => each !== null))
    const [newest, earlier] = revisions
    if (active !== null) expect(earlier!.status).toBe('DEPLOYED')
    if (newest!.status === 'QUEUED') continue
    expect(newest!.status).toBe('BUILD_FAILED')
    failed.push(newest!)
    const path = `${id}/revisions/${latest}/logs?type=build&order=desc`
    const { body } = await ask<{ logs: { level: string; message: string }[] }>(sample.url, 'GET', path)
    expect(body.logs[0]).toMatchObject({ level: 'ERROR', message: newest!.status_message })
    const { body: made } = await ask<Revision>(sample.url, 'POST', `${id}/revisions`, {})
    expect(made.status).toBe('AWAITING_BUILD')
  }
  expect(failed.length).toBeGreaterThan(2)
})
