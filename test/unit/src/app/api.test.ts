import { failure, succeed } from '@contract'
import { beforeEach, describe, expect, it } from 'vitest'
import { call, running } from '@/app/api'
import { requestOf } from '@/features/new-deployment/draft/draft'
import { useCreationStore } from '@/features/new-deployment/creation'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import { type FakeBridge, settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge

beforeEach(() => {
  bridge = startApp().bridge
  running.value = []
})

const pending = (name: string) => bridge.callsOf(name)

/** Presses Cancel in the status line. */
const cancelAll = (): void => running.value.forEach((one) => one.cancel())

describe('a call that is cancelled', () => {
  it('returns that failure at once', async () => {
    const answer = call('repositories.list', { environmentId: 'a' } as never)
    cancelAll()
    expect(await answer).toMatchObject({ ok: false, failure: { code: 'cancelled' } })
    expect(pending('repositories.list')).toMatchObject([{ cancelled: true }])
    expect(running.value).toEqual([])
  })

  it('waits for its answer if it has to', async () => {
    const answer = call('repositories.list', { environmentId: 'a' } as never, { waitForAnswer: true })
    cancelAll()
    expect(pending('repositories.list')).toMatchObject([{ cancelled: true }])
    expect(running.value).toHaveLength(1)
    await pending('repositories.list')[0]?.answer(null)
    expect(await answer).toEqual(succeed(null))
    expect(running.value).toEqual([])
  })
})

describe('a creation that is cancelled', () => {
  async function cancelled() {
    const drafts = useDraftsStore()
    const form = drafts.open('a')
    const entry = drafts.currentDraft(form)
    drafts.set(entry, ['name'], 'agent')
    const sending = useCreationStore().create(form, entry, requestOf(entry.draft), null)
    cancelAll()
    await settled()
    return { form, entry, sending }
  }

  it('is being sent until the main process answers with the result', async () => {
    const { form, entry, sending } = await cancelled()
    expect(pending('deployments.create')).toMatchObject([{ cancelled: true }])
    expect(entry).toMatchObject({ sending: true, failure: null })
    const deployment = { id: 'd1', name: 'agent', status: 'READY' }
    await pending('deployments.create')[0]?.answer({
      environmentId: 'a',
      deployment,
      json: '',
      fetchedAt: '',
    })
    expect(await sending).toBe(true)
    expect(form.created).toMatchObject({ deployment: { id: 'd1' } })
  })

  it('counts as not sent if the main process held it back', async () => {
    const { entry, sending } = await cancelled()
    const reason = failure('cancelled', 'The call was cancelled.', { sent: 'no' })
    await pending('deployments.create')[0]?.fail(reason)
    expect(await sending).toBe(false)
    expect(entry).toMatchObject({ sending: false, sent: null, failure: reason })
  })
})
