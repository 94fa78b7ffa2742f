import type { Annotation } from '@contract'
import { describe, beforeEach, expect, it, vi } from 'vitest'
import { useAnnotationsStore } from '@/app/stores/annotations'
import { type FakeBridge, appState, type PendingCall, settled } from '../../../support/page/fake-bridge'
import { startApp, type AppStore } from '../../../support/page/start-app'
import { notePauseMs, noteRetryMs, useNotesStore } from '@/features/deployment/notes'

describe('annotations', () => {
  let bridge: FakeBridge
  let store: ReturnType<typeof useAnnotationsStore>

  beforeEach(() => {
    bridge = startApp().bridge
    store = useAnnotationsStore()
    void store.open()
  })

  const annotation = (deploymentId: string, more: Partial<Annotation> = {}): Annotation => ({
    deploymentId,
    name: deploymentId,
    favourite: false,
    labels: [],
    note: '',
    ...more,
  })

  it('a change shows once it is on the disk, and one that fails is reported and changes nothing', async () => {
    await bridge.newest('annotations.list').answer([])
    void store.toggle('d', 'agent')
    const { input } = bridge.newest('annotations.save')
    expect(input).toEqual({
      environmentId: 'a',
      service: 'a',
      deploymentId: 'd',
      name: 'agent',
      change: { favourite: true },
    })
    expect(store.of('d')).toBeNull()
    await bridge.newest('annotations.save').answer(annotation('d', { favourite: true }))
    expect(store.of('d')?.favourite).toBe(true)

    void store.save('d', null, { addLabel: 'mine' })
    await bridge.newest('annotations.save').fail({ code: 'disk-full', message: 'The disk is full.' })
    expect(store.failedSave?.failure.message).toBe('The disk is full.')
    expect(store.of('d')?.labels).toEqual([])

    void store.toggle('d', 'agent')
    await bridge.newest('annotations.save').answer(annotation('d'))
    expect(store.failedSave).toBeNull()
    expect(store.of('d')).toBeNull()
  })

  it('a favourite is set to the opposite of what is shown, however often it is clicked before the answer', async () => {
    await bridge.newest('annotations.list').answer([annotation('d', { favourite: true })])
    void store.toggle('d', 'agent')
    void store.toggle('d', 'agent')
    const saves = bridge.callsOf('annotations.save')
    expect(saves.map(({ input }) => input.change)).toEqual([{ favourite: false }, { favourite: false }])
  })
})

describe('notes', () => {
  let bridge: FakeBridge
  let app: AppStore
  let notes: ReturnType<typeof useNotesStore>

  beforeEach(async () => {
    vi.useFakeTimers()
    ;({ bridge, app } = startApp())
    void app.start()
    bridge.emit('app.state', appState('a'))
    notes = useNotesStore()
    void useAnnotationsStore().open()
    await bridge.callsOf('annotations.list')[0]!.answer([])
  })

  const saves = (): PendingCall[] => bridge.callsOf('annotations.save')
  const answer = (call: PendingCall): Promise<void> =>
    call.answer({
      deploymentId: 'd',
      name: 'agent',
      favourite: false,
      labels: [],
      note: (call.input.change as { note: string }).note,
    })

  it('saves when typing pauses, and continues with what was typed meanwhile', async () => {
    notes.type('d', 'agent', 'on')
    notes.type('d', 'agent', 'one')
    vi.advanceTimersByTime(notePauseMs)
    expect(saves().map(({ input }) => input.change)).toEqual([{ note: 'one' }])
    notes.type('d', 'agent', 'one two')
    await answer(saves()[0]!)
    expect(notes.isUnsaved('d')).toBe(true)
    expect(notes.textOf('d')).toBe('one two')
    void notes.save()
    await answer(saves()[1]!)
    expect(notes.isUnsaved('d')).toBe(false)
    expect(notes.textOf('d')).toBe('one two')
  })

  it('keeps what could not be saved, with the reason, until it is', async () => {
    notes.type('d', 'agent', 'Ask Ann.')
    void notes.save()
    await saves()[0]!.fail({ code: 'disk-full', message: 'The disk is full.' })
    expect(notes.failureOf('d')?.message).toBe('The disk is full.')
    expect(notes.textOf('d')).toBe('Ask Ann.')
    void notes.save()
    await answer(saves()[1]!)
    expect(notes.failureOf('d')).toBeNull()
    expect(notes.textOf('d')).toBe('Ask Ann.')
  })

  it('retries a note that could not be saved automatically, until it is saved', async () => {
    notes.type('d', 'agent', 'Ask Ann.')
    void notes.save()
    expect(notes.unsaved).toEqual([])
    await saves()[0]!.fail({ code: 'disk-full', message: 'The disk is full.' })
    expect(notes.unsaved).toMatchObject([{ deploymentId: 'd', name: 'agent', isHere: true }])
    vi.advanceTimersByTime(noteRetryMs)
    expect(saves()).toHaveLength(2)
    // A slow save isn't overtaken by another one.
    vi.advanceTimersByTime(3 * noteRetryMs)
    expect(saves()).toHaveLength(2)
    await saves()[1]!.fail({ code: 'disk-full', message: 'The disk is full.' })
    app.state = appState('b')
    expect(notes.unsaved).toMatchObject([{ environmentId: 'a', isHere: false }])
    vi.advanceTimersByTime(noteRetryMs)
    await answer(saves()[2]!)
    expect(notes.unsaved).toEqual([])
    vi.advanceTimersByTime(3 * noteRetryMs)
    expect(saves()).toHaveLength(3)
  })

  it('a note goes to the environment and service in which it was typed', () => {
    notes.type('d', 'agent', 'Of a.')
    app.state = appState('b')
    expect(notes.textOf('d')).toBe('')
    vi.advanceTimersByTime(notePauseMs)
    expect(saves()[0]!.input).toMatchObject({ environmentId: 'a', service: 'a', change: { note: 'Of a.' } })
  })

  /** The environment is edited: it leads to this service and account now. */
  function edit(service: string): void {
    const state = appState('a')
    bridge.emit('app.state', {
      ...state,
      environments: state.environments.map((one) => ({ ...one, service })),
    })
  }

  it('a note is never shown for another service', async () => {
    edit('one.key')
    notes.type('d', 'agent', 'Of the first.')
    void notes.save()
    edit('two.key')
    void useAnnotationsStore().open()
    await bridge.newest('annotations.list').answer([])
    expect(notes.textOf('d')).toBe('')
    await answer(saves()[0]!)
    expect(notes.textOf('d')).toBe('')
  })

  it('before the application quits, the note is saved before the page reports it as saved', async () => {
    notes.type('d', 'agent', 'Last words.')
    bridge.emit('annotations.flush', null)
    await settled()
    expect(bridge.calls.map(({ name }) => name)).toEqual([
      'app.state',
      'annotations.list',
      'annotations.save',
    ])
    await answer(saves()[0]!)
    expect(bridge.calls.at(-1)!.name).toBe('annotations.flushed')
  })
})
