import { type CreationEntry, deploymentSchema, failure, type Lookup } from '@contract'
import { mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { announcement } from '@/app/window'
import UnconfirmedCreations from '@/features/new-deployment/unconfirmed/UnconfirmedCreations.vue'
import { unconfirmedCreationText } from '@/features/new-deployment/unconfirmed/unconfirmed-creation'
import { requestOf } from '@/features/new-deployment/draft/draft'
import { useAppStore } from '@/app/stores/app'
import { useActivityStore } from '@/features/activity/activity'
import { useUnconfirmedCreationsStore } from '@/features/new-deployment/unconfirmed/unconfirmed-creations'
import { useCreationStore } from '@/features/new-deployment/creation'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import { creationEntry } from '../../../support/builders/creation-entry'
import { appState, type FakeBridge, settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

const lost = failure('connection-lost', 'The connection to the service was lost.', { sent: 'maybe' })

const attempt = (more: Partial<CreationEntry> = {}): CreationEntry =>
  creationEntry({
    startedAt: new Date(Date.now() + 1).toISOString(),
    endedAt: new Date().toISOString(),
    state: 'unconfirmed',
    failure: lost,
    ...more,
  })

const lookup = (verdict: Lookup['verdict'], more: Partial<Lookup> = {}): Lookup => ({
  at: new Date().toISOString(),
  verdict,
  deployment: null,
  differences: [],
  reason: null,
  ...more,
})

const found: Partial<CreationEntry> = {
  state: 'created',
  deploymentId: 'd1',
  lookup: lookup('found', { deployment: { id: 'd1', createdAt: null, status: 'READY' } }),
}

let bridge: FakeBridge

beforeEach(() => {
  bridge = startApp().bridge
})

const pending = (name: string) => bridge.callsOf(name)

async function tell(entry: CreationEntry): Promise<void> {
  bridge.emit('journal.changed', entry)
  await vi.waitFor(() => expect(useActivityStore().entries).toContainEqual(entry))
  await nextTick()
  await settled()
}

/** A draft "agent" that was sent without an answer. */
async function sent() {
  const store = useDraftsStore()
  const unconfirmed = useUnconfirmedCreationsStore()
  const form = store.open('a')
  const entry = store.currentDraft(form)
  store.set(entry, ['name'], 'agent')
  const sending = useCreationStore().create(form, entry, requestOf(entry.draft), null)
  await pending('deployments.create').at(-1)?.fail(lost)
  await sending
  return { store, unconfirmed, form, entry }
}

describe('an unconfirmed creation', () => {
  it('has a notice until that is closed, in its own environment only', async () => {
    const { unconfirmed } = await sent()
    await tell(attempt({ id: 'other', environmentId: 'b' }))
    expect(unconfirmed.noticesFor(null)).toEqual([])
    await tell(attempt())
    expect(unconfirmed.noticesFor(null).map(({ id }) => id)).toEqual(['j1'])
    expect(unconfirmed.blockingFor('agent')?.id).toBe('j1')
    expect(unconfirmed.blockingFor('agent-2')).toBeNull()
    expect(unconfirmed.covers('agent', lost)).toBe(true)
    expect(unconfirmed.covers('agent', failure('offline', 'Gone.'))).toBe(false)
    unconfirmed.close(attempt())
    expect(unconfirmed.noticesFor(null)).toEqual([])
  })

  it('has no notice if it was settled before, nor after a week', async () => {
    const { unconfirmed } = await sent()
    const before = { ...lookup('found'), at: '2020-01-01T00:00:00.000Z' }
    await tell(attempt({ id: 'j2', name: 'other', ...found, lookup: before }))
    const longAgo = '2020-01-01T00:00:00.000Z'
    await tell(attempt({ id: 'j3', startedAt: longAgo, endedAt: longAgo }))
    expect(unconfirmed.noticesFor(null)).toEqual([])
  })

  it('is reported when it is found, and its draft counts as created', async () => {
    const { unconfirmed, store, form } = await sent()
    await tell(attempt())
    await tell(attempt(found))
    await tell(attempt(found))
    expect(announcement.value).toContain('was created')
    expect(pending('window.notify')).toHaveLength(1)
    expect(pending('deployments.get')).toHaveLength(1)
    const deployment = deploymentSchema.parse({ id: 'd1', name: 'agent', status: 'READY' })
    await pending('deployments.get')[0]?.answer({ environmentId: 'a', deployment, json: '', fetchedAt: '' })
    expect(form.created).toMatchObject({ deployment: { id: 'd1' }, found: true })
    expect(store.currentDraft(form).draft.entered.name).toBe('')
    expect(unconfirmed.noticesFor(null)).toEqual([])
  })

  it('leaves a draft alone that was changed since', async () => {
    const { unconfirmed, store, form, entry } = await sent()
    await tell(attempt())
    store.set(entry, ['source_revision_config', 'image_uri'], 'internal/agent:2')
    await tell(attempt(found))
    expect(pending('deployments.get')).toEqual([])
    expect(store.currentDraft(form).draft.entered.name).toBe('agent')
    expect(unconfirmed.noticesFor(null)).toMatchObject([{ state: 'created' }])
  })

  it.each(['unread', 'left'] as const)(
    'is reported once if its draft has a text that was not sent, which stays: %s',
    async (which) => {
      const { store, unconfirmed, form, entry } = await sent()
      await tell(attempt())
      const text = {
        language: 'yaml',
        text: 'name: [ typed for an hour',
        problems: [],
        isFromBefore: false,
      } as const
      entry[which] = text
      await tell(attempt(found))
      const deployment = deploymentSchema.parse({ id: 'd1', name: 'agent', status: 'READY' })
      await pending('deployments.get')[0]?.answer({ environmentId: 'a', deployment, json: '', fetchedAt: '' })
      expect(form.created).toMatchObject({ deployment: { id: 'd1' }, found: true })
      expect(store.currentDraft(form)).toMatchObject({ id: entry.id, [which]: text, sent: null })
      expect(entry.notes?.items.join()).toContain('"agent" was created')
      form.created = null
      entry.left = text
      entry.unread = null
      announcement.value = ''
      await tell(attempt({ id: 'j2', name: 'other' }))
      expect(pending('deployments.get')).toHaveLength(1)
      expect(form.created).toBe(null)
      expect(store.currentDraft(form).left).toEqual(text)
      expect(unconfirmed.noticesFor('agent').map(({ id }) => id)).toEqual(['j2'])
    },
  )

  it('leaves a draft alone that was sent after that attempt, or whose answer may still arrive', async () => {
    const { form, entry } = await sent()
    await tell(attempt({ ...found, startedAt: new Date(Date.now() - 60_000).toISOString() }))
    expect(pending('deployments.get')).toEqual([])
    const sending = useCreationStore().create(form, entry, requestOf(entry.draft), null)
    await tell(attempt({ ...found, id: 'j2' }))
    expect(pending('deployments.get')).toEqual([])
    await pending('deployments.create').at(-1)?.fail(lost)
    await sending
  })
})

describe('a creation whose environment now leads to another service', () => {
  /** The state of the window after an edit of the base URL or the headers of "a". */
  const edited = () => {
    const state = appState('a')
    return {
      ...state,
      environments: state.environments.map((one) => (one.id === 'a' ? { ...one, service: 'other' } : one)),
    }
  }
  const answered = async (name: string): Promise<void> => {
    const deployment = deploymentSchema.parse({ id: 'd1', name, status: 'READY' })
    const answer = { environmentId: 'a', deployment, json: '', fetchedAt: '' }
    for (const request of pending('deployments.get')) await request.answer(answer)
  }

  /** A draft that is being sent, and a window that follows its environments. */
  async function sending() {
    void useAppStore().start()
    bridge.emit('app.state', appState('a'))
    const begun = await sent()
    const { form, entry } = begun
    const creating = useCreationStore().create(form, entry, requestOf(entry.draft), null)
    await tell(attempt({ state: 'sending', failure: null }))
    const fail = async (reason: ReturnType<typeof failure>): Promise<void> => {
      await pending('deployments.create').at(-1)?.fail(reason)
      await creating
      await settled()
    }
    return { ...begun, fail }
  }
  const created = () => attempt({ state: 'created', deploymentId: 'd1', failure: null })

  it.each(['before the answer', 'while the deployment is read'])(
    'keeps its draft, and shows nothing of the other service: edited %s',
    async (when) => {
      const { form, entry, fail } = await sending()
      if (when === 'before the answer') bridge.emit('app.state', edited())
      await tell(created())
      await fail(failure('connection-lost', 'Lost.', { sent: 'answered' }))
      expect(pending('deployments.get')).toHaveLength(when === 'before the answer' ? 0 : 1)
      bridge.emit('app.state', edited())
      await answered('agent')
      expect(form.created).toBe(null)
      expect(form.drafts.map(({ id }) => id)).toContain(entry.id)
    },
  )

  it.each([
    ['was edited in an earlier session', null],
    ['may have been', undefined],
    ['leads where another one was sent', 'b'],
  ])('is not requested if the environment %s', async (_how, sentTo) => {
    const { form, entry } = await sent()
    await tell({ ...created(), sentTo })
    expect(pending('deployments.get')).toEqual([])
    expect(form.drafts.map(({ id }) => id)).toContain(entry.id)
  })
})

describe('a deployment about which only the operator can decide', () => {
  const different = lookup('different', {
    deployment: { id: 'd1', createdAt: null, status: 'READY' },
    differences: ['source_config.build_on_push'],
  })

  it('stays as it is if that is not possible, which is reported', async () => {
    const { store, form, entry } = await sent()
    await tell(attempt({ lookup: different }))
    const notice = mount(UnconfirmedCreations, { global: { stubs: { RouterLink: true } } })
    const press = (text: string) =>
      notice
        .findAll('button')
        .find((one) => one.text() === text)!
        .trigger('click')
    await press('This one is mine')
    await pending('deployments.claim')[0]?.fail({ code: 'conflict', message: 'It has changed.' })
    await settled()
    expect(announcement.value).toBe('It has changed.')
    expect(notice.get('[role=group]').text()).toContain('It has changed.')
    // Until the next lookup, which may fail as well.
    await press('Check again')
    expect(notice.get('[role=group]').text()).not.toContain('It has changed.')
    await pending('deployments.lookUp')[0]?.fail({
      code: 'internal',
      message: 'No look.',
      advice: 'Restart.',
    })
    await settled()
    expect(notice.get('[role=group]').text()).toContain('No look. Restart.')
    expect(announcement.value).toBe('No look.')
    notice.unmount()
    expect(store.currentDraft(form).id).toBe(entry.id)
  })
})

describe('the text about an unconfirmed creation', () => {
  it.each([
    [{}, 'Creation of "agent" is unconfirmed.'],
    [{ lookup: lookup('not-found') }, '"agent" hasn\'t appeared yet.'],
    [{ lookup: lookup('different') }, 'is there, but differs from what was sent'],
    [
      { lookup: lookup('cannot-tell', { reason: 'incomplete' as const }) },
      'Creation of "agent" is unconfirmed.',
    ],
    [
      { state: 'dismissed' as const, lookup: lookup('not-found') },
      'Creation of "agent" was never confirmed.',
    ],
    [{ state: 'refused' as const, lookup: lookup('not-found') }, '"agent" was rejected.'],
    [{ lookFailure: failure('other-service', 'Elsewhere.') }, 'Creation of "agent" is unconfirmed.'],
    [found, '"agent" was created.'],
  ])('says what is known: %j', (more, title) => {
    expect(unconfirmedCreationText(attempt(more)).title).toContain(title)
  })

  it('says of a claimed one whether the answer was lost or did not prove it', () => {
    const claimed = { ...found, lookup: lookup('cannot-tell', { reason: 'no-time' }) } as const
    expect(unconfirmedCreationText(attempt(claimed)).text).toMatch(/^Its answer was lost; you said /)
    const answered = failure('service-error', 'The service failed (502).', { sent: 'answered' })
    expect(unconfirmedCreationText(attempt({ ...claimed, failure: answered })).text).toMatch(
      /^The answer didn't say so; you said /,
    )
  })

  const fitting = (count: number, more: Partial<Lookup> = {}) => {
    const [deployment = null, ...others] = ['d1', 'd2', 'd3', 'd4', 'd5']
      .slice(0, count)
      .map((id) => ({ id, createdAt: null, status: 'READY' }))
    return lookup('cannot-tell', { reason: 'repeated', count, deployment, others, ...more })
  }

  it.each([
    [
      fitting(2),
      '2 deployments of this name are there, both with what was sent: it may have been created twice. Open them: only you can say which one is yours.',
    ],
    [
      fitting(3),
      '3 deployments of this name are there, each with what was sent: it may have been created more than once. Open them: only you can say which one is yours.',
    ],
    [
      fitting(7),
      '7 deployments of this name are there, each with what was sent: it may have been created more than once. Open them: only you can say which one is yours. 5 of them are named here; the list has all.',
    ],
    [
      fitting(2, { reason: 'several' }),
      '2 deployments of this name are there, both with what was sent: they fit more than one attempt at this name. Open them: only you can say which one is yours.',
    ],
    [
      lookup('cannot-tell', { reason: 'several' }),
      'What is there fits more than one attempt at this name. Only you can say which one created it.',
    ],
  ])('says how many deployments match, and what that means', (seen, text) => {
    expect(unconfirmedCreationText(attempt({ lookup: seen })).text).toBe(text)
  })

  it.each([
    ['no-time' as const, 'its creation time is missing'],
    ['not-kept' as const, 'What was sent was too large to be kept'],
    ['unreadable' as const, "the list has entries that can't be read"],
    ['incomplete' as const, "the list couldn't be read to its end"],
  ])('says why only the operator can decide: %s', (reason, words) => {
    const deployment = { id: 'd1', createdAt: null, status: 'READY' }
    const seen = lookup('cannot-tell', { reason, deployment })
    expect(unconfirmedCreationText(attempt({ lookup: seen })).text).toContain(words)
  })
})

describe('the attempt that blocks a name', () => {
  it('is the newest unconfirmed one, until it is settled or dismissed', async () => {
    const { unconfirmed } = await sent()
    const at = (second: number): string => `2026-11-22T10:00:0${second}.000Z`
    await tell(attempt({ id: 'j1', startedAt: at(1) }))
    expect(unconfirmed.blockingFor('agent')?.id).toBe('j1')
    await tell(attempt({ id: 'j2', startedAt: at(2) }))
    expect(unconfirmed.blockingFor('agent')?.id).toBe('j2')
    await tell(attempt({ id: 'j2', startedAt: at(2), ...found }))
    expect(unconfirmed.blockingFor('agent')?.id).toBe('j1')
    const dismissed = attempt({ id: 'j1', startedAt: at(1), state: 'dismissed' })
    await tell(dismissed)
    expect(unconfirmed.blockingFor('agent')).toBeNull()
    expect(unconfirmed.noticesFor('agent').map(({ id }) => id)).not.toContain('j1')
  })

  it('is next to the form with its buttons, however many newer ones there are', async () => {
    const { unconfirmed } = await sent()
    const at = (minute: number): string => new Date(Date.now() + minute * 60_000).toISOString()
    const inTheWay = attempt({ id: 'mine', startedAt: at(0), lookup: lookup('not-found') })
    const newer = [1, 2, 3].map((n) => attempt({ id: `n${n}`, name: `other-${n}`, startedAt: at(n) }))
    for (const entry of [inTheWay, ...newer]) await tell(entry)
    const ids = (name: string | null): string[] => unconfirmed.noticesFor(name).map(({ id }) => id)
    expect(ids('agent')).toEqual(['mine', 'n3', 'n2', 'n1'])
    expect(unconfirmed.covers('agent', failure('attempt-unconfirmed', 'In the way.'))).toBe(true)
    expect(ids('another')).toEqual(['n3', 'n2', 'n1', 'mine'])
    const beside = mount(UnconfirmedCreations, {
      props: { draftName: 'agent' },
      global: { stubs: { RouterLink: true } },
    })
    const shown = beside.get('[role=group]')
    expect(shown.attributes('aria-label')).toBe('Unconfirmed creation: agent')
    expect(shown.text()).toContain('Check again')
    expect(shown.text()).toContain('Send again')
    beside.unmount()
    // Elsewhere too, the attempt that blocked comes first.
    const recalling = unconfirmed.reopen('agent')
    await pending('journal.list')
      .at(-1)
      ?.answer([...newer].reverse().concat(inTheWay))
    await recalling
    expect(ids(null)).toEqual(['mine', 'n3', 'n2', 'n1'])
  })
})
